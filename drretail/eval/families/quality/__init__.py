"""Answer quality: seven dimensions, rated 0 to 10 by a judge (paper section 3.3.2, Appendix H.2).

judge.py   one question for each dimension; criteria.toml says what it rates
score.py   the ratings of a report and their means; these as a metric family
prompts/   what the judge is asked: what all dimensions share, and what is each one's own
"""
