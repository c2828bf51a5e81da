"""Pairwise judging: which of two reports is better, in both orders (paper Appendix C, Table 13, Figure 6).

judge.py   a question for each dimension and order; the metric of pairs
prompts/   the judge's prompts and criteria
"""
