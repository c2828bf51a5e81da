"""A rating from the size of what is rated: plumbing, so that scoring can be run and tested without a key.

It says nothing of quality, and says so. Whatever prints it must print "not rated (rule-based)".
"""

from typing import Any

from drretail.llm.offline.judge.tags import tag_contents

PLUMBING = "Rule-based plumbing, no rating: it only counts words."
_WORDS_PER_POINT = 100
_HIGHEST = 10


def rating_of(text: str) -> dict[str, Any]:
    """A point for every hundred words of the report, at most ten."""
    words = len(" ".join(tag_contents("report", text)).split())
    return {"rating": min(_HIGHEST, words // _WORDS_PER_POINT), "justification": PLUMBING}
