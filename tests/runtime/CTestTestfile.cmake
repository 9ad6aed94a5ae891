# CMake generated Testfile for 
# Source directory: /tmp/rtroot/tests/runtime
# Build directory: /tmp/rtroot/tests/runtime
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
add_test([=[runtime_values]=] "/tmp/rtroot/bin/tst_runtime_values")
set_tests_properties([=[runtime_values]=] PROPERTIES  ENVIRONMENT "QT_QPA_PLATFORM=offscreen" TIMEOUT "300" _BACKTRACE_TRIPLES "/tmp/rtroot/packaging/cmake/ShardscopeTargets.cmake;39;add_test;/tmp/rtroot/tests/runtime/CMakeLists.txt;8;shardscope_add_test;/tmp/rtroot/tests/runtime/CMakeLists.txt;0;")
add_test([=[runtime_ranks]=] "/tmp/rtroot/bin/tst_runtime_ranks")
set_tests_properties([=[runtime_ranks]=] PROPERTIES  ENVIRONMENT "QT_QPA_PLATFORM=offscreen" TIMEOUT "300" _BACKTRACE_TRIPLES "/tmp/rtroot/packaging/cmake/ShardscopeTargets.cmake;39;add_test;/tmp/rtroot/tests/runtime/CMakeLists.txt;9;shardscope_add_test;/tmp/rtroot/tests/runtime/CMakeLists.txt;0;")
add_test([=[runtime_tensors]=] "/tmp/rtroot/bin/tst_runtime_tensors")
set_tests_properties([=[runtime_tensors]=] PROPERTIES  ENVIRONMENT "QT_QPA_PLATFORM=offscreen" TIMEOUT "300" _BACKTRACE_TRIPLES "/tmp/rtroot/packaging/cmake/ShardscopeTargets.cmake;39;add_test;/tmp/rtroot/tests/runtime/CMakeLists.txt;10;shardscope_add_test;/tmp/rtroot/tests/runtime/CMakeLists.txt;0;")
