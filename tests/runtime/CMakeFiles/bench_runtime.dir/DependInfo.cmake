
# Consider dependencies only in project.
set(CMAKE_DEPENDS_IN_PROJECT_ONLY OFF)

# The set of languages for which implicit dependencies are needed:
set(CMAKE_DEPENDS_LANGUAGES
  )

# The set of dependency files which are needed:
set(CMAKE_DEPENDS_DEPENDENCY_FILES
  "/tmp/rtroot/tests/runtime/bench_runtime.cpp" "tests/runtime/CMakeFiles/bench_runtime.dir/bench_runtime.cpp.o" "gcc" "tests/runtime/CMakeFiles/bench_runtime.dir/bench_runtime.cpp.o.d"
  )

# Targets to which this target links.
set(CMAKE_TARGET_LINKED_INFO_FILES
  "/tmp/rtroot/engine/runtime/CMakeFiles/shardscope_runtime.dir/DependInfo.cmake"
  "/tmp/rtroot/engine/record/CMakeFiles/shardscope_record.dir/DependInfo.cmake"
  "/tmp/rtroot/engine/plan/CMakeFiles/shardscope_plan.dir/DependInfo.cmake"
  )

# Fortran module output directory.
set(CMAKE_Fortran_TARGET_MODULE_DIR "")
