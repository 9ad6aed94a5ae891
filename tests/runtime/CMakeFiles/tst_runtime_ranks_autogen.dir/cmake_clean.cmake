file(REMOVE_RECURSE
  "CMakeFiles/tst_runtime_ranks_autogen"
  "tst_runtime_ranks_autogen/mocs_compilation.cpp"
)

# Per-language clean rules from dependency scanning.
foreach(lang )
  include(CMakeFiles/tst_runtime_ranks_autogen.dir/cmake_clean_${lang}.cmake OPTIONAL)
endforeach()
