# Empty custom commands generated dependencies file for tst_runtime_values_autogen.
# This may be replaced when dependencies are built.
