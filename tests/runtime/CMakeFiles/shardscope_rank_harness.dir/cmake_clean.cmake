file(REMOVE_RECURSE
  "CMakeFiles/shardscope_rank_harness.dir/rank_harness.cpp.o"
  "CMakeFiles/shardscope_rank_harness.dir/rank_harness.cpp.o.d"
  "libshardscope_rank_harness.a"
  "libshardscope_rank_harness.pdb"
)

# Per-language clean rules from dependency scanning.
foreach(lang CXX)
  include(CMakeFiles/shardscope_rank_harness.dir/cmake_clean_${lang}.cmake OPTIONAL)
endforeach()
