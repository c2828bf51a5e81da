"""``lab`` from Python: is the judge any good? Each function does what the command of its name does.

people.py           agree, calibrate, correct, sample: from people's answers; no model is asked
derived_reports.py  bias, exploits, plant: what judges make of reports whose worth is known
questions.py        card: questions that are about no run
judging.py          judges that are opened once, and what the functions give
"""

from drretail.api.lab.derived_reports import bias, exploits, plant
from drretail.api.lab.people import agree, calibrate, correct, sample
from drretail.api.lab.questions import card

__all__ = ["agree", "bias", "calibrate", "card", "correct", "exploits", "plant", "sample"]
