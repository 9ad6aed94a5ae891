# Empty dependencies file for bench_runtime.
# This may be replaced when dependencies are built.
