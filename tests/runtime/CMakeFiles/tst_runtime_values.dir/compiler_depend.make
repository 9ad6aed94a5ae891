# Empty compiler generated dependencies file for tst_runtime_values.
# This may be replaced when dependencies are built.
