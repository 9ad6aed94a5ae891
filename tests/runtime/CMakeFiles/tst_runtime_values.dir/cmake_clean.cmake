file(REMOVE_RECURSE
  "../../bin/tst_runtime_values"
  "../../bin/tst_runtime_values.pdb"
  "CMakeFiles/tst_runtime_values_autogen.dir/AutogenUsed.txt"
  "CMakeFiles/tst_runtime_values_autogen.dir/ParseCache.txt"
  "tst_runtime_values_autogen"
  "CMakeFiles/tst_runtime_values.dir/tst_runtime_values_autogen/mocs_compilation.cpp.o"
  "CMakeFiles/tst_runtime_values.dir/tst_runtime_values_autogen/mocs_compilation.cpp.o.d"
  "CMakeFiles/tst_runtime_values.dir/tst_values.cpp.o"
  "CMakeFiles/tst_runtime_values.dir/tst_values.cpp.o.d"
)

# Per-language clean rules from dependency scanning.
foreach(lang CXX)
  include(CMakeFiles/tst_runtime_values.dir/cmake_clean_${lang}.cmake OPTIONAL)
endforeach()
