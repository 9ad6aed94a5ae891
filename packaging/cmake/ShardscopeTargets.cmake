# SPDX-License-Identifier: MIT
# What every target of ours has in common.
include(ShardscopePrecompiled)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# There are many programs to link, one for each test.
find_program(SHARDSCOPE_MOLD mold)
if(SHARDSCOPE_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1)
    add_link_options(-fuse-ld=mold)
endif()

add_library(shardscope_options INTERFACE)
target_compile_features(shardscope_options INTERFACE cxx_std_20)
target_compile_options(shardscope_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
# GCC 12 at -O3 sees overlapping and endless copies in std::string itself (GCC bug 105651, fixed in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13 AND CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(shardscope_options INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
if(SHARDSCOPE_WERROR)
    target_compile_options(shardscope_options INTERFACE -Werror)
endif()
if(SHARDSCOPE_SANITIZE)
    target_compile_options(shardscope_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(shardscope_options INTERFACE -fsanitize=address,undefined)
endif()

# shardscope_add_library(NAME SOURCES ... [PUBLIC libs...] [PRIVATE libs...]); sources include each other from the
# repository root: "engine/plan/plan.h".
function(shardscope_add_library name)
    cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
    add_library(${name} STATIC ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD ${SHARDSCOPE_UNITY})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${arg_PUBLIC} PRIVATE shardscope_options ${arg_PRIVATE})
endfunction()

function(shardscope_add_program name)
    cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE shardscope_options ${arg_LIBRARIES})
endfunction()

# moc for those of the sources that are tests, which end with #include "tst_NAME.moc". AUTOMOC does it too, but costs each
# program a look at all its sources and one more file to compile.
function(shardscope_moc_tests target)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_moc)
    file(MAKE_DIRECTORY ${folder})
    list(FILTER ARGN INCLUDE REGEX "^tst_.*\\.cpp$")
    foreach(source ${ARGN})
        string(REPLACE .cpp .moc output ${folder}/${source})
        qt_generate_moc(${source} ${output} TARGET ${target})
        target_sources(${target} PRIVATE ${output})
    endforeach()
    target_include_directories(${target} PRIVATE ${folder})
endfunction()

# A Qt Test program: tests/<folder>/tst_<name>.cpp. HEADERS names the family whose precompiled header it reads
# (shardscope_add_test_headers); without it, the one that knows Qt Test and rapidcheck alone.
function(shardscope_add_test name)
    cmake_parse_arguments(arg "" "HEADERS" "SOURCES;LIBRARIES" ${ARGN})
    shardscope_add_program(tst_${name} SOURCES ${arg_SOURCES} LIBRARIES Qt6::Test ${arg_LIBRARIES})
    shardscope_moc_tests(tst_${name} ${arg_SOURCES})
    if(NOT arg_HEADERS)
        set(arg_HEADERS shardscope_test_headers)
    endif()
    shardscope_reuse_precompiled(tst_${name} ${arg_HEADERS})
    target_compile_options(tst_${name} PRIVATE ${SHARDSCOPE_TEST_FLAGS})
    if(Qt6_VERSION VERSION_GREATER_EQUAL 6.8)
        target_compile_options(tst_${name} PRIVATE -Wno-conversion) # QTRY_* of that version narrow chrono counts to int
    endif()
    add_test(NAME ${name} COMMAND tst_${name})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "QT_QPA_PLATFORM=offscreen" TIMEOUT 300)
endfunction()

# Qt tells each test its folders by macros that QtTest looks at, and a precompiled header serves only those who agree on
# all macros that it looks at. No test asks for them.
set(SHARDSCOPE_TEST_FLAGS -UQT_TESTCASE_BUILDDIR -UQT_TESTCASE_SOURCEDIR)

# The headers of a family of tests, read once: shardscope_add_test_headers(NAME LIBRARIES ... HEADERS <a> "b.h" ...).
function(shardscope_add_test_headers name)
    cmake_parse_arguments(arg "" "" "LIBRARIES;HEADERS" ${ARGN})
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "// Only its precompiled header is used.\n")
    shardscope_add_library(${name} SOURCES ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp PRIVATE Qt6::Test ${arg_LIBRARIES})
    shardscope_precompile(${name} ${SHARDSCOPE_STANDARD_HEADERS} ${arg_HEADERS})
    target_compile_options(${name} PRIVATE ${SHARDSCOPE_TEST_FLAGS})
endfunction()

# The longest tests begin first, or the last of them runs alone. ctest learns how long each took; before its first run it
# knows only this: shardscope_begin_early(SECONDS test...), in the folder that has added them, those that are there.
function(shardscope_begin_early seconds)
    foreach(name IN LISTS ARGN)
        if(TEST ${name})
            set_tests_properties(${name} PROPERTIES COST ${seconds})
        endif()
    endforeach()
endfunction()
