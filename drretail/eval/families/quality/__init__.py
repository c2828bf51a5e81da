"""Answer quality: seven dimensions, rated 0 to 10 by a judge (paper section 3.3.2, Appendix H.2).

score.py   one question for each dimension (criteria.toml says what it rates); ratings and their means; the family
prompts/   what the judge is asked: what all dimensions share, and what is each one's own
"""
