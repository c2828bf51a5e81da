"""A sealed benchmark: ``drretail bench`` (docs/benchmark.md).

release.py     a release made, committed to, published, and its gold once its window is over
submission.py  run folders taken in: verified, a drawn sample run again, graded beside all others
ranking.py     truth first: means, intervals and ranges of ranks, style among true reports, costs as a Pareto front
"""
