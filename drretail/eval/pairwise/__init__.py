"""Pairwise judging: which of two reports is better, in both orders (paper Appendix C, Table 13, Figure 6).

dimensions.py  the seven dimensions and their prompts; criteria.toml says what each compares
pairs.py       which systems are compared, and in which runs they meet
judge.py       a question for each dimension and order
outcomes.py    wins, ties and losses, and whether a lead is more than chance
score.py       rows of pairs, and strengths of many systems after Bradley and Terry
prompts/       what the judge is asked
"""
