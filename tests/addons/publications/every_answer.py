"""What tests.eval.every_question's judge answers to the questions of published metrics."""

from collections.abc import Callable, Mapping
from typing import Any

from drretail.addons.publications.pqr.axis import AXES
from tests.addons.publications.playing import Played
from tests.eval.every_question import REASON, SOURCE, each_numbered, stated

CRITERIA = 5
"""Of each dimension and query."""
_KEYS = [key for axis in AXES for key in axis.keys]


def answer(title: str, question: str, rating: int, sentences: int) -> Any:
    """The answer to a question of that schema."""
    answers: Mapping[str, Callable[[str], Any]] = {
        "Grades": lambda _: {
            "reason": REASON * 5,
            **dict.fromkeys(("comprehensiveness", "coherence", "clarity", "insightfulness", "overall"), 3),
        },
        "Repetition": lambda _: {"repetitions_found": [REASON], "explanation": REASON, "confidence": "90%", "score": 3},
        "Factuality": lambda _: {"explanation": REASON, "label": 1},
        "QueryRequirements": lambda _: {
            "requirements": [{"requirement": f"{REASON} {n}", "category": "content"} for n in range(CRITERIA)]
        },
        "DepthRubric": lambda _: {"points": [{"point": f"{REASON} {n}", "explanation": REASON} for n in range(5)]},
        "MetRequirements": each_numbered("requirement", reason=REASON, met=True),
        "FoundInsights": each_numbered("insight", found=REASON, missing="", label="full"),
        "Depth": lambda _: {"justification": REASON * 4, "rating": rating},
    }
    if title in answers:
        return answers[title](question)
    made = {key: [(f"{REASON} Point {n} of {key}.", 1 / CRITERIA) for n in range(CRITERIA)] for key in _KEYS}
    triplets = tuple((SOURCE.sub("", text), source, "") for text, source in stated(question, sentences))
    return _with_reasons(Played(criteria=made, triplets=triplets)(question))


def _with_reasons(answer: Any) -> Any:
    """The answer with a reason at length where it gives the shortest."""
    if isinstance(answer, dict):
        return {key: _with_reasons(each) for key, each in answer.items()}
    if isinstance(answer, list):
        return [_with_reasons(each) for each in answer]
    return REASON if answer in ("So.", "It matters.") else answer
