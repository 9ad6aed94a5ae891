# CMAKE generated file: DO NOT EDIT!
# Timestamp file for compiler generated dependencies management for shardscope_rank_harness.
