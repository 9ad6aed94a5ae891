file(REMOVE_RECURSE
  "libshardscope_rank_harness.a"
)
