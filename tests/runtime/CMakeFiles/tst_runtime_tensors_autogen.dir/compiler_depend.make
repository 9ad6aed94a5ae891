# Empty custom commands generated dependencies file for tst_runtime_tensors_autogen.
# This may be replaced when dependencies are built.
