
# Consider dependencies only in project.
set(CMAKE_DEPENDS_IN_PROJECT_ONLY OFF)

# The set of languages for which implicit dependencies are needed:
set(CMAKE_DEPENDS_LANGUAGES
  )

# The set of dependency files which are needed:
set(CMAKE_DEPENDS_DEPENDENCY_FILES
  "/tmp/rtroot/tests/runtime/tst_runtime_tensors_autogen/mocs_compilation.cpp" "tests/runtime/CMakeFiles/tst_runtime_tensors.dir/tst_runtime_tensors_autogen/mocs_compilation.cpp.o" "gcc" "tests/runtime/CMakeFiles/tst_runtime_tensors.dir/tst_runtime_tensors_autogen/mocs_compilation.cpp.o.d"
  "/tmp/rtroot/tests/runtime/tst_tensors.cpp" "tests/runtime/CMakeFiles/tst_runtime_tensors.dir/tst_tensors.cpp.o" "gcc" "tests/runtime/CMakeFiles/tst_runtime_tensors.dir/tst_tensors.cpp.o.d"
  )

# Targets to which this target links.
set(CMAKE_TARGET_LINKED_INFO_FILES
  "/tmp/rtroot/tests/runtime/CMakeFiles/shardscope_rank_harness.dir/DependInfo.cmake"
  "/tmp/rtroot/engine/runtime/CMakeFiles/shardscope_runtime.dir/DependInfo.cmake"
  "/tmp/rtroot/engine/record/CMakeFiles/shardscope_record.dir/DependInfo.cmake"
  "/tmp/rtroot/engine/plan/CMakeFiles/shardscope_plan.dir/DependInfo.cmake"
  )

# Fortran module output directory.
set(CMAKE_Fortran_TARGET_MODULE_DIR "")
