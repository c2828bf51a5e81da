"""Answer quality: seven dimensions, rated 0 to 10 by a judge (paper section 3.3.2, Appendix H.2).

score.py   one question for each dimension; ratings and their means; the metric
prompts/   the judge's prompts and criteria
"""
