"""Answer quality: seven dimensions, rated 0 to 10 by a judge (paper section 3.3.2, Appendix H.2).

dimensions.py      the dimensions and their prompts; criteria.toml says what each rates
judge.py           one question for each dimension
contradictions.py  high ratings whose justification names a broken constraint
score.py           the ratings of a report and their means
metric.py          these as a metric family
"""

from drretail.eval.quality.score import METRIC

__all__ = ["METRIC"]
