"""What changes in reports when the profile changes: by code, from recorded runs alone (docs/counterfactual.md).

advice.py    what one report recommends, and the constraints of the query that it breaks
measure.py   one query: how far its reports are apart, whose profile that fits, where it overrides what is asked
rows.py      rows of scores.json for every counterfactual system of an experiment
"""

from drretail.eval.counterfactual.rows import counterfactual_rows

__all__ = ["counterfactual_rows"]
