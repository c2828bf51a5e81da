"""What changes in reports when the profile changes: by code, from recorded runs alone (docs/counterfactual.md).

advice.py      what one report recommends, the constraints it applies, and those of the query that it breaks
prices.py      in which quarter of the prices a recommended product lies
change.py      how far reports of two systems are apart, and how far repeats of one are
direction.py   whether what changed fits the partner's profile or the user's own
overuse.py     where a profile overrides what the query states
measure.py     all of this for one query
rows.py        rows of scores.json for every counterfactual system of an experiment
"""

from drretail.eval.counterfactual.rows import counterfactual_rows

__all__ = ["counterfactual_rows"]
