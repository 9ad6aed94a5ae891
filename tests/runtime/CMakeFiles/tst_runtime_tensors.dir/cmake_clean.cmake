file(REMOVE_RECURSE
  "../../bin/tst_runtime_tensors"
  "../../bin/tst_runtime_tensors.pdb"
  "CMakeFiles/tst_runtime_tensors_autogen.dir/AutogenUsed.txt"
  "CMakeFiles/tst_runtime_tensors_autogen.dir/ParseCache.txt"
  "tst_runtime_tensors_autogen"
  "CMakeFiles/tst_runtime_tensors.dir/tst_runtime_tensors_autogen/mocs_compilation.cpp.o"
  "CMakeFiles/tst_runtime_tensors.dir/tst_runtime_tensors_autogen/mocs_compilation.cpp.o.d"
  "CMakeFiles/tst_runtime_tensors.dir/tst_tensors.cpp.o"
  "CMakeFiles/tst_runtime_tensors.dir/tst_tensors.cpp.o.d"
)

# Per-language clean rules from dependency scanning.
foreach(lang CXX)
  include(CMakeFiles/tst_runtime_tensors.dir/cmake_clean_${lang}.cmake OPTIONAL)
endforeach()
