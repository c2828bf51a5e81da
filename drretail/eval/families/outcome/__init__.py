"""Does a system say no where the shop can't meet a wish, and only there? Without a model (docs/metrics.md).

score.py  one verdict on a report's declared outcome beside the proof; this as values; the family
"""
