"""A sealed benchmark: ``drretail bench`` (docs/benchmark.md).

release.py     makes a release, commits to its content, and publishes its gold after its window
submission.py  takes run folders in: verifies them, reruns a drawn sample, grades all of them together
ranking.py     ranks by truth with intervals and ranges of ranks; also style among true reports, and cost
"""
