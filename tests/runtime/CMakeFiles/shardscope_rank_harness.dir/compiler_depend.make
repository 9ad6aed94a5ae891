# Empty compiler generated dependencies file for shardscope_rank_harness.
# This may be replaced when dependencies are built.
