file(REMOVE_RECURSE
  "../../bin/tst_runtime_ranks"
  "../../bin/tst_runtime_ranks.pdb"
  "CMakeFiles/tst_runtime_ranks_autogen.dir/AutogenUsed.txt"
  "CMakeFiles/tst_runtime_ranks_autogen.dir/ParseCache.txt"
  "tst_runtime_ranks_autogen"
  "CMakeFiles/tst_runtime_ranks.dir/tst_ranks.cpp.o"
  "CMakeFiles/tst_runtime_ranks.dir/tst_ranks.cpp.o.d"
  "CMakeFiles/tst_runtime_ranks.dir/tst_runtime_ranks_autogen/mocs_compilation.cpp.o"
  "CMakeFiles/tst_runtime_ranks.dir/tst_runtime_ranks_autogen/mocs_compilation.cpp.o.d"
)

# Per-language clean rules from dependency scanning.
foreach(lang CXX)
  include(CMakeFiles/tst_runtime_ranks.dir/cmake_clean_${lang}.cmake OPTIONAL)
endforeach()
