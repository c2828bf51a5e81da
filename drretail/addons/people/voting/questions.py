"""What people are asked about reports and claims: of reports with the judges' own definitions, of claims with the rules
of the judges' prompt in plain words.
"""

from dataclasses import dataclass
from functools import cache

from drretail.eval.judging.dimensions import DIMENSIONS, PERSONALIZATION, without_shop
from drretail.eval.metrics import pairwise, quality
from drretail.records.vote import CITED, SUPPORT, ClaimSupport


@dataclass(frozen=True, slots=True)
class Option:
    """An answer, the word on its button, and the keys that choose it."""

    value: str
    word: str
    keys: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    name: str
    title: str
    definition: tuple[str, ...]
    """Paragraphs."""
    options: tuple[Option, ...]


SIDES = (Option("left", "A", "1a"), Option("tie", "Tie", "2t"), Option("right", "B", "3b"))
RATINGS = tuple(Option(str(value), str(value), str(value)[:1] if value < 10 else "x") for value in range(11))
_SUPPORT: dict[ClaimSupport, str] = {
    "full": "the sources say all of it",
    "partial": "the sources say some of it, and nothing about the rest",
    "none": "the sources say nothing of it, and nothing against it",
    "contradicted": "a source says otherwise of any part: another price, the opposite advice",
}
SUPPORT_RULES = (
    "Compare every part of the statement with the sources: names, figures, units, dates, and words such as “all” or "
    "“not”. What you know yourself doesn't count.",
    "Only the sources on the page count, taken together, and the question for what the shopper wants and allows, such "
    "as a budget.",
    "The sources say",
    "- what is written in them; the lines of a shop's record, such as price and rating, are what the shop says;",
    "- a sum, difference or share of their figures, and a rounded figure: “$9.98” or “about $10” for 9.975;",
    "- “the cheapest” or “the highest rated”, if a list of products (S1, S2, …) shows it;",
    "- what any reader concludes from them without other knowledge.",
    "Leave aside",
    "- taste and advice: “the best”, “my pick”;",
    "- the other half of a comparison if no source speaks of it: of “lighter than the Birch” judge the weight;",
    "- what the numbers of a calculation stand for, if “About” does not say it.",
    "If nothing is left to compare, choose full.",
)
"""The rules of the judges' prompt ``support``, as paragraphs and points."""


def report_questions(
    path: str, *, with_profile: bool, with_picks: bool, elsewhere: bool = False
) -> tuple[Question, ...]:
    """The questions which of two reports is better, or how good one is (0 to 10), one for each dimension.

    Without a profile, personalization is left out. For reports from ``elsewhere``, the words are those for imported
    reports, without the shop.
    """
    criteria, options = (pairwise.criteria(), SIDES) if path == "vote" else (quality.criteria(), RATINGS)
    parts = ("text", "picks", "anchors") if with_picks else ("text", "anchors")
    made: list[Question] = []
    for dimension in DIMENSIONS:
        if with_profile or dimension != PERSONALIZATION:
            criterion = criteria[dimension]
            lines = [line for part in parts for line in _lines(criterion.get(part, ""))]
            if elsewhere:
                lines = _lines(without_shop("".join(f"{line}\n" for line in lines)))
            made.append(Question(dimension, criterion["title"], tuple(lines), options))
    return tuple(made)


@cache
def label_question() -> Question:
    """What a claim's sources say of it."""
    options = tuple(Option(label, label, str(key), meaning) for key, (label, meaning) in enumerate(_SUPPORT.items(), 1))
    return Question(SUPPORT, "What do the sources say of it?", SUPPORT_RULES, options)


@cache
def cited_question() -> Question:
    """Whether a statement is a claim and names a source where it stands, which is what FR counts."""
    options = (
        Option("yes", "Yes", "1", "it says something that can be checked, and a source stands with it"),
        Option("no", "No", "2", "it says something that can be checked, without a source"),
        Option("no_claim", "No claim", "3", "it is nothing that can be checked, or the report does not say it"),
    )
    sources = "A source is a number or an id in brackets, a link, or a footnote."
    about = (f"{sources} Whether it bears the statement out doesn't count here.",)
    return Question(CITED, "Does the report name a source for it?", about, options)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


def definitions(path: str, *, elsewhere: bool) -> tuple[Question, ...]:
    """All questions about items of a kind, for its instructions; reports from ``elsewhere`` were imported."""
    if path == "label":
        return label_question(), cited_question()
    return report_questions(path, with_profile=not elsewhere, with_picks=True, elsewhere=elsewhere)
