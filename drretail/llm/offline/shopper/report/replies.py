"""Which sentences of pages answer the questions that the shopper asks beside what to buy."""

import re
from dataclasses import replace

from drretail.llm.offline.shopper.kinds import THEMES
from drretail.llm.offline.shopper.questions import Question
from drretail.llm.offline.shopper.report.sayings import Saying, read_sayings
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import content_stems, word_set

MOST_PER_QUESTION = 3
MOST_FROM_PAGE = 2
LEAST_SHARE = 0.6
"""Of a question's words that a page must hold to answer it."""
LEAST_WORDS = 2
"""A question with fewer words of its own cannot be told from others."""
# Who says it and what it is founded on is not what a question is about.
_SAYERS = word_set(
    """people person others owner expert doctor pediatrician pharmacist vet somebody say study research test evidence
    independent like care recommend"""
)
_FINDING = re.compile(r"\b(?:trials?|stud(?:y|ies)|tests?|tested|evidence|research|found)\b", re.IGNORECASE)
_NUMBERED = r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|quarter|dozen)\b"
# What an answer must hold, by how the question begins: a sentence on the subject is no answer yet.
_EXPECTED = (
    (
        r"\bhow (?:often|many times)\b",
        rf"{_NUMBERED}|\b(?:every|each|daily|weekly|monthly|yearly|once|twice|after|whenever)\b",
    ),
    (
        r"\bhow (?:long|much|many|high|deep|far|big|large|heavy|loud|old|wide)\b",
        _NUMBERED + r"|\b(?:long|years?|months?|days?|hours?)\b",
    ),
    (r"\b(?:in (?:what|which) )order\b", r"\b(?:first|then|before|after|last|next|finally|begin|start)\b"),
    (
        r"^when\b|\bfind out when\b",
        rf"{_NUMBERED}|\b(?:when|until|before|after|as soon as|once|spring|summer|fall|autumn|winter)\b",
    ),
)
_ENDING = re.compile(r"(?:ing|ed|es|e|s)$")


def answers_to(study: Study) -> dict[str, list[Saying]]:
    """Sentences of pages by the label of the question that they answer; questions without an answer are left out."""
    said: list[Saying] = []
    answers: dict[str, list[Saying]] = {}
    for search in study.web:
        if search.question is not None:
            sayings = best_of(_answers(study, search.question), said, MOST_PER_QUESTION)
            said += sayings
            if sayings:
                answers[search.question.label] = sayings
    return answers


def best_of(sayings: list[Saying], said: list[Saying], most: int) -> list[Saying]:
    """The sentences of most merit, two at most from a page, none that repeats another."""
    chosen: list[Saying] = []
    for saying in sorted(sayings, key=lambda s: (-s.merit, s.evidence, s.text)):
        from_page = sum(other.evidence == saying.evidence for other in chosen)
        if (
            len(chosen) < most
            and from_page < MOST_FROM_PAGE
            and not any(_alike(saying, other) for other in [*chosen, *said])
        ):
            chosen.append(saying)
    return chosen


def _answers(study: Study, question: Question) -> list[Saying]:
    """Sentences that share words with a question, of pages on its subject and place that hold most of its words."""
    wanted = _roots(" ".join(question.words(study.customer))) - {_root(word) for word in _SAYERS}
    if len(wanted) < LEAST_WORDS:
        return []
    subjects = [_roots(" ".join(name)) for need in study.needs for name in need.names]
    # A question that names a needed thing is only answered by a page about it.
    subjects = [name for name in subjects if name <= wanted] or subjects
    # "What birds live here?" asks about what the needs have in common.
    themes = _roots(" ".join(word for need in study.needs for word in THEMES.get(need.theme or "", ())))
    beyond = wanted.difference(*subjects) or wanted
    asks_for_findings = _FINDING.search(question.text) is not None
    place = _roots(study.customer.state or "") & wanted
    found: list[Saying] = []
    for saying in read_sayings(study.situation, with_lists=True):
        text = _roots(saying.text)
        around = text | _roots(saying.page)
        share = len(wanted & around) / len(wanted)
        on_subject = not subjects or any(name <= around for name in subjects)
        on_subject = on_subject or (question.direct and bool(around & themes))
        finding = asks_for_findings and _FINDING.search(saying.text) is not None
        to_the_point = (finding or bool(beyond & text)) and len(wanted & text) >= len(wanted) / 2
        # A row answers what its label is about.
        usable = saying.whole or saying.is_list or len(beyond & _roots(saying.label)) >= min(2, len(beyond))
        if (
            usable
            and _holds_what_is_asked(question.text, saying.text)
            and share >= LEAST_SHARE
            and place <= around
            and on_subject
            and to_the_point
        ):
            found.append(replace(saying, merit=saying.merit + share + 0.5 * len(wanted & text) + 0.5 * saying.is_list))
    return found


def _holds_what_is_asked(question: str, answer: str) -> bool:
    """False for "how often …" and a sentence without any frequency, and the like."""
    return all(
        re.search(expected, answer, re.IGNORECASE)
        for asks, expected in _EXPECTED
        if re.search(asks, question, re.IGNORECASE)
    )


def _alike(a: Saying, b: Saying) -> bool:
    one, two = set(content_stems(a.text)), set(content_stems(b.text))
    return len(one & two) >= 0.6 * max(1, min(len(one), len(two)))


def _root(word: str) -> str:
    """A rough root, alike for "swaddle", "swaddling" and "swaddles"; for comparing, not for showing."""
    shorter = _ENDING.sub("", word)
    return shorter if len(shorter) > 3 else word


def _roots(text: str) -> set[str]:
    return {_root(word) for word in content_stems(text)}
