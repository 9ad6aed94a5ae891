# Empty dependencies file for tst_runtime_tensors.
# This may be replaced when dependencies are built.
