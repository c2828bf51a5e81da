"""Pairwise judging: which of two reports is better, in both orders (paper Appendix C, Table 13, Figure 6).

questions.py   the prompt of each dimension; criteria.toml says what each compares
judge.py       a question for each dimension and order; these as a family of pairs
prompts/       what the judge is asked
"""
