"""``lab`` from Python: how reliable a judge is. Each function does what the command of its name does.

people.py           agree, calibrate, correct, sample: from people's answers; card: from claims that people labelled
derived_reports.py  bias, exploits, plant: what judges make of reports whose worth is known
judging.py          opens the judges once, and holds the results of the functions
"""

from collections.abc import Callable, Mapping

from drretail.api.lab.derived_reports import bias, estimate_bias, estimate_exploits, estimate_plant, exploits, plant
from drretail.api.lab.people import agree, calibrate, card, correct, estimate_card, sample
from drretail.llm.estimates import Estimates

__all__ = ["agree", "bias", "calibrate", "card", "correct", "exploits", "plant", "sample"]
ESTIMATES: Mapping[str, Callable[..., Estimates]] = {
    "card": estimate_card,
    "plant": estimate_plant,
    "exploits": estimate_exploits,
    "bias": estimate_bias,
}
"""What each function that asks judges is likely to take, by its name."""
