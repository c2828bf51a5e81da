"""A preference between two reports from their size: plumbing, so that comparisons can be run without a key.

It says nothing of quality, and says so. Whatever prints it must print "not rated (rule-based)".
"""

from typing import Any

from drretail.llm.offline.judge.tags import tag_contents

PLUMBING = "Rule-based plumbing, no preference: it only counts words."


def comparison_of(text: str) -> dict[str, Any]:
    """The report with more words wins, of two with as many the later one in the alphabet: whichever stands first.

    Two reports that are the same have no order of their own, and the first one is named.
    """
    first, second = (*tag_contents("report", text), "", "")[:2]
    return {"justification": PLUMBING, "winner": "A" if _size(first) >= _size(second) else "B"}


def _size(report: str) -> tuple[int, str]:
    return len(report.split()), report
