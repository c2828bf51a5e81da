"""How a run came to its report: what it called, read and cited, counted without a judge (docs/process.md).

counting.py  what is counted of one run
score.py     one verdict and value for each of these; the family
"""
