"""What people are asked about reports and claims, with the same definitions as judges get."""

import re
from dataclasses import dataclass
from functools import cache

from drretail.eval.claims.claims import PROMPTS
from drretail.eval.judging.dimensions import DIMENSIONS, PERSONALIZATION
from drretail.eval.judging.external_wording import without_shop
from drretail.eval.metrics.pairwise import judge as pairwise
from drretail.eval.metrics.quality import score as quality
from drretail.llm.prompts.prompt import load_prompt
from drretail.records.vote import CITED, SUPPORT, ClaimSupport

_LABEL = re.compile(r"^- (?P<label>full|partial|no|contradicted)(?:_support)?: (?P<meaning>.+)$", re.MULTILINE)


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
_KEYS: dict[ClaimSupport, str] = {"full": "1", "partial": "2", "none": "3", "contradicted": "4"}


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
    """What a claim's sources say of it; the labels' meanings are those of the judge's prompt."""
    meanings = {match["label"].replace("no", "none"): match["meaning"] for match in _LABEL.finditer(_support_prompt())}
    options = tuple(Option(label, label, keys, meanings[label]) for label, keys in _KEYS.items())
    return Question(SUPPORT, "What do the sources say of it?", tuple(support_rules()), options)


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


def support_rules() -> list[str]:
    """The judges' rules for comparing a statement with its sources, up to the labels, as paragraphs and points."""
    rules, _, _ = _support_prompt().partition("\nLabels\n")
    return _lines(rules.partition("\n\n")[2].replace("`about`", "“About”").replace("full_support", "full"))


def _support_prompt() -> str:
    return load_prompt(PROMPTS, "support").text


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


def definitions(path: str, *, elsewhere: bool) -> tuple[Question, ...]:
    """All questions about items of a kind, for its instructions; reports from ``elsewhere`` were imported."""
    if path == "label":
        return label_question(), cited_question()
    return report_questions(path, with_profile=not elsewhere, with_picks=True, elsewhere=elsewhere)
