# Empty compiler generated dependencies file for tst_runtime_ranks.
# This may be replaced when dependencies are built.
