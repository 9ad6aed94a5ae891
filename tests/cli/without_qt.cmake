# SPDX-License-Identifier: MIT
# A build without Qt is tested by the program itself and its exit status.

# engine_test(NAME STATUS WORDS ARGUMENTS...): the exit status, and a regular expression that the output matches.
function(engine_test name status words)
    list(JOIN ARGN " " arguments)
    add_test(NAME ${name} COMMAND sh -c "\"$<TARGET_FILE:shardscope-engine>\" ${arguments} > out.txt 2>&1; s=$?; cat out.txt; test $s -eq ${status} && grep -Eq -- '${words}' out.txt")
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
    file(MAKE_DIRECTORY ${folder})
    set_tests_properties(${name} PROPERTIES WORKING_DIRECTORY ${folder} TIMEOUT 300)
endfunction()

engine_test(engine_help 0 "Commands" --help)
engine_test(engine_version 0 "shardscope-engine [0-9]" --version)
engine_test(engine_plan 0 "all.reduce" plan --scheme row --ranks 4)
engine_test(engine_predict 0 "\"sent_bytes_per_rank\": 117440512" predict --hardware h100-8 --ranks 8 --hidden 8192 --batch 1 --sequence 4096 --dtype bf16 --format json)
engine_test(engine_no_ranks 2 "ranks 0.*allowed" run --ranks 0)
engine_test(engine_no_format 2 "nonsense.*allowed" run --format nonsense)
engine_test(engine_giant 2 "memory" run --hidden 99999999)
engine_test(engine_memory 0 "366.4 GiB" memory --model gpt3 --tp 8)
engine_test(engine_advise 0 "recommended" advise --model llama3-70b --gpus 64 --hardware h100-8)
engine_test(engine_no_model 2 "model.*allowed" memory)
if(TARGET shardscope-rank-host)
    engine_test(engine_selftest 0 "all passed" selftest)
    set_tests_properties(engine_selftest PROPERTIES TIMEOUT 600) # a thousand runs
    engine_test(engine_compare 0 "\"sent_bytes\": 0.5" compare --scheme mlp --ranks 2 --hidden 1024 --format json)
    engine_test(engine_bug 3 "check failed" run --scheme bug:row-bias-each-rank --ranks 4)
endif()
