"""A judge that answers whatever any metric asks, of any report, as briefly or at such length as a test says.

An add-on's ``every_answer.py`` beside its tests answers what its metrics ask; where the add-on is missing, so are both.
"""

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from drretail.eval.judging.session import Judge
from drretail.llm.prompt import tag_content
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from tests.build import quoting
from tests.eval.metrics.faithfulness.reports import said_value

_NUMBER = re.compile(r'<(?:claim|criterion)(?: [a-z]+="[^"]*")*? id="(\d+)"')
SOURCE = re.compile(r"\[([^\]\s]+)\]")
REASON = "It says so in the second part, weighs two of the three points that matter, and passes over the last."

Changed = Callable[[str, str, Any], Any]
"""Of the schema, the question and the answer: another answer."""


def every_answer(
    *, rating: int = 6, sentences: int = 2, changed: Changed = lambda title, question, answer: answer
) -> tuple[Judge, list[tuple[str, str]]]:
    """Such a judge, and the schema and text of every question so far.

    It finds a claim or fact in one of so many ``sentences``, and gives what ``changed`` makes of each answer.
    """
    asked: list[tuple[str, str]] = []
    answers = _answers(rating, sentences)
    addons = Path(__file__).parents[1] / "addons"
    names = sorted(path.parent.name for path in addons.glob("*/every_answer.py"))
    others = [import_module(f"tests.addons.{name}.every_answer").answer for name in names]

    def play(request: Request) -> ScriptedAnswer:
        title, question = request.schema or "", request.opening
        asked.append((title, question))
        if title in answers:
            answer = answers[title](question)
        else:
            (answer,) = (found for other in others if (found := other(title, question, rating, sentences)) is not None)
        return ScriptedAnswer(structured=changed(title, question, answer))

    return Judge.of(scripted_model(play=quoting(play), name="every", kind="llm")), asked


def _answers(rating: int, sentences: int) -> Mapping[str, Callable[[str], Any]]:
    return {
        "Rating": lambda _: {"justification": REASON * 4, "rating": rating},
        **dict.fromkeys(("Comparison", "PaperComparison"), lambda _: {"justification": REASON * 4, "winner": "A"}),
        **dict.fromkeys(("ReportClaims", "CitedClaims", "AllClaims"), lambda question: _claims(question, sentences)),
        "Support": lambda _: {"support": "full_support", "justification": REASON},
        "ClaimsSupport": each_numbered("claim", quotes=[], justification=REASON, label="full_support"),
        "ClaimsAndPicks": lambda question: {**_claims(question, sentences), "picks": []},
        "ReportPicks": lambda _: {"picks": []},
        "Confirmations": each_numbered("claim", "confirmations", quote="", justification=REASON, confirmed=False),
    }


def each_numbered(thing: str, things: str = "", **said: Any) -> Callable[[str], Any]:
    """The same of each claim or criterion that a question numbers."""
    return lambda question: {
        things or f"{thing}s": [{f"{thing}_id": int(n)} | said for n in dict.fromkeys(_NUMBER.findall(question))]
    }


def stated(question: str, sentences: int) -> list[tuple[str, str]]:
    """One in so many sentences of the report in a question, with the first source it names."""
    found = [each.strip() for each in re.split(r"(?<=[.!?])\s+", tag_content("report", question) or "") if each.strip()]
    named = ((each, SOURCE.search(each)) for each in found[::sentences])
    return [(text, "" if source is None else source[1]) for text, source in named]


def _claims(question: str, sentences: int) -> dict[str, Any]:
    return {
        "claims": [
            {
                "claim_id": n,
                "claim": text,
                "quote": text,
                "sources": [each] if each else [],
                "values": [said_value("product", text)] * (n == 1),
            }
            for n, (text, each) in enumerate(stated(question, sentences), 1)
        ]
    }
