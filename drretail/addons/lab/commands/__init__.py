"""``lab`` from Python: how reliable a judge is. Each function does what the command of its name does.

people.py           agree, calibrate, correct, sample: from people's answers; card: from claims that people labelled
derived_reports.py  bias, exploits, plant: what judges make of reports whose worth is known
judging.py          opens the judges once
"""

from drretail.addons.lab.commands.derived_reports import bias, exploits, plant
from drretail.addons.lab.commands.people import agree, calibrate, card, correct, sample

__all__ = ["agree", "bias", "calibrate", "card", "correct", "exploits", "plant", "sample"]
