"""A judge that answers whatever any metric asks, of any report, as briefly or at such length as a test says."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from drretail.eval.judging.session import Judge
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from drretail.prompts import tag_content
from tests.addons.publications.weighted.playing import Played
from tests.build import quoting

_NUMBER = re.compile(r'<(?:claim|criterion)(?: [a-z]+="[^"]*")*? id="(\d+)"')
_SOURCE = re.compile(r"\[([^\]\s]+)\]")
REASON = "It says so in the second part, weighs two of the three points that matter, and passes over the last."
AXES = ("information", "analysis", "presentation")
CRITERIA = 5
"""Of each dimension and query."""

Changed = Callable[[str, str, Any], Any]
"""Of the schema, the question and the answer: another answer."""


def every_answer(
    *, rating: int = 6, sentences: int = 2, changed: Changed = lambda title, question, answer: answer
) -> tuple[Judge, list[tuple[str, str]]]:
    """Such a judge, and the schema and text of every question so far.

    It finds a claim or fact in one of so many ``sentences``, and gives what ``changed`` makes of each answer.
    """
    asked: list[tuple[str, str]] = []
    made = {key: [(f"{REASON} Point {n} of {key}.", 1 / CRITERIA) for n in range(CRITERIA)] for key in _KEYS}
    answers = _answers(rating, sentences)

    def play(request: Request) -> ScriptedAnswer:
        title, question = request.schema or "", request.opening
        asked.append((title, question))
        if title in answers:
            answer = answers[title](question)
        else:
            triplets = tuple((_SOURCE.sub("", text), source, "") for text, source in _stated(question, sentences))
            answer = _with_reasons(Played(criteria=made, triplets=triplets)(question))
        return ScriptedAnswer(structured=changed(title, question, answer))

    return Judge.of(scripted_model(play=quoting(play), name="every", kind="llm")), asked


_KEYS = (
    *("goal_alignment", "content_alignment", "presentation_fit", "actionability_practicality"),
    *("depth_insight", "logical_coherence", "clarity_readability"),
    *("comprehensiveness", "insight", "instruction_following", "readability"),
)


def _with_reasons(answer: Any) -> Any:
    """The answer with a reason at length where it gives the shortest."""
    if isinstance(answer, dict):
        return {key: _with_reasons(each) for key, each in answer.items()}
    if isinstance(answer, list):
        return [_with_reasons(each) for each in answer]
    return REASON if answer in ("So.", "It matters.") else answer


def _answers(rating: int, sentences: int) -> Mapping[str, Callable[[str], Any]]:
    return {
        "Rating": lambda _: {"justification": REASON * 4, "rating": rating},
        "Comparison": lambda _: {"justification": REASON * 4, "winner": "A"},
        **dict.fromkeys(("ReportClaims", "CitedClaims", "AllClaims"), lambda question: _claims(question, sentences)),
        "Support": lambda _: {"support": "full_support", "justification": REASON, "quote": ""},
        "ClaimsSupport": _each("claim", quotes=[], justification=REASON, label="full_support"),
        "ClaimsAndPicks": lambda question: {**_claims(question, sentences), "picks": []},
        "ReportPicks": lambda _: {"picks": []},
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
        "MetRequirements": _each("requirement", reason=REASON, met=True),
        "FoundInsights": _each("insight", found=REASON, missing="", label="full"),
        "Depth": lambda _: {"justification": REASON * 4, "rating": rating},
        "QueryRubric": lambda _: {
            "criteria": [
                {
                    "criterion": f"{REASON} {n}",
                    "explanation": REASON,
                    "axis": AXES[n % 3],
                    "weight": 3,
                    "kind": "binary",
                }
                for n in range(3 * CRITERIA)
            ]
        },
        "MarkedCriteria": _each("criterion", "criteria", reason=REASON, evidence=REASON, label="met"),
    }


def _each(thing: str, things: str = "", **said: Any) -> Callable[[str], Any]:
    """The same of each claim or criterion that a question numbers."""
    return lambda question: {
        things or f"{thing}s": [{f"{thing}_id": int(n)} | said for n in dict.fromkeys(_NUMBER.findall(question))]
    }


def _stated(question: str, sentences: int) -> list[tuple[str, str]]:
    """One in so many sentences of the report in a question, with the first source it names."""
    found = [each.strip() for each in re.split(r"(?<=[.!?])\s+", tag_content("report", question) or "") if each.strip()]
    named = ((each, _SOURCE.search(each)) for each in found[::sentences])
    return [(text, "" if source is None else source[1]) for text, source in named]


def _claims(question: str, sentences: int) -> dict[str, Any]:
    return {
        "claims": [
            {"claim_id": n, "claim": text, "quote": text, "sources": [each] if each else [], "values": []}
            for n, (text, each) in enumerate(_stated(question, sentences), 1)
        ]
    }
