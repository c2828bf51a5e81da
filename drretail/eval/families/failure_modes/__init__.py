"""Failure modes: what kind of weakness low ratings are about, by the judge that gave them (paper Appendix G).

judge.py   the six modes; one question for each rationale of a low rating
score.py   shares of reports by mode; these as a metric family
details.py the low ratings behind the shares, as a table and as a sheet for people
prompts/   what the judge is asked
"""
