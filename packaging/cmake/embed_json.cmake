# SPDX-License-Identifier: MIT
# cmake -DOUTPUT=FILE.cpp -DNAME=kName -DFILES="a.json;b.json" -P embed_json.cmake
# Data files as string literals behind a std::span, so that programs need no path to find them.
set(body "// SPDX-License-Identifier: MIT\n// Made from the data files by embed_json.cmake.\n#include <array>\n#include <span>\n#include <string_view>\n\n")
list(LENGTH FILES count)
string(APPEND body "namespace shardscope {\nconstexpr std::array<std::string_view, ${count}> ${NAME}Files{\n")
foreach(file IN LISTS FILES)
    # Semicolons and brackets would be taken for list syntax by file(READ) and string(APPEND) of lists; quoting keeps them.
    file(READ "${file}" text)
    string(APPEND body "R\"json(${text})json\",\n")
endforeach()
string(APPEND body "};\nextern const std::span<const std::string_view> ${NAME};\nconst std::span<const std::string_view> ${NAME} = ${NAME}Files;\n} // namespace shardscope\n")
file(WRITE "${OUTPUT}" "${body}")
