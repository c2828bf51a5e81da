"""Failure modes: what kind of weakness low ratings are about, by the judge that gave them (paper Appendix G).

judge.py   the six modes; one question for each rationale of a low rating
score.py   shares of reports by mode; the low ratings behind them as a table and a sheet for people; the family
prompts/   what the judge is asked
"""
