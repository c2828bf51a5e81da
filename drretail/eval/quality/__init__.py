"""Answer quality: seven dimensions, rated 0 to 10 by a judge (paper section 3.3.2, Appendix H.2).

material.py  what a judge of whole reports reads: question, shopper, report, sources, picks with prices
judge.py     the dimensions (criteria.toml says what each rates), and one question for each
score.py     the ratings of a report and their means; these as a metric family
prompts/     what the judge is asked: what all dimensions share, and what is each one's own
"""

from drretail.eval.quality.score import METRIC

__all__ = ["METRIC"]
