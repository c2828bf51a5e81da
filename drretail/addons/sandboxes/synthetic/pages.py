"""Made-up pages on any topic: what holds of its subjects, what people say, and a planted statement in the middle.

Kinds of pages and their sentences are data: in a pattern {a|b} is either, and <name> is filled in (sentences.toml).
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from math import exp
from random import Random
from typing import Any

from drretail.env.web.sandbox import SandboxPage

SHORTEST, LONGEST = 420, 10_800
"""The range of drawn lengths in characters; a page may exceed it by its last paragraph."""
_TYPICAL, _SPREAD = 3900, 0.75
_ON_FOCUS = 0.45
"""The share of paragraphs on the subject in focus, as long as something new is known of it."""
_CHOICE = re.compile(r"\{([^{}]*)\}")
_SLOT = re.compile(r"<(\w+)>")


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that pages tell of."""

    name: str
    lines: tuple[str, ...]
    """What holds of it, each without a full stop."""
    slots: Mapping[str, str]
    """What fills patterns besides the name, such as its price."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a page is about: a theme, the subject in focus, and others beside it."""

    theme: str
    focus: Subject
    others: Sequence[Subject]


@cache
def texts(name: str) -> dict[str, Any]:
    """The patterns in the file "sentences" or "planted"."""
    file = resources.files("drretail.addons.sandboxes.synthetic").joinpath(f"{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def fill(pattern: str, random: Random, slots: Mapping[str, str | Sequence[str]]) -> str:
    """The pattern with one option of each {a|b} and its slots filled; of several values one is drawn."""
    while "{" in pattern:
        pattern = _CHOICE.sub(lambda choice: random.choice(choice[1].split("|")), pattern)

    def value(slot: re.Match[str]) -> str:
        values = slots.get(slot[1], slot[0])
        return values if isinstance(values, str) else random.choice(values)

    text = _SLOT.sub(value, pattern)
    return text[:1].upper() + text[1:]


def drawn_length(random: Random) -> int:
    """The length of a page in characters: mostly around ``_TYPICAL``, from ``SHORTEST`` to ``LONGEST``."""
    return int(min(LONGEST, max(SHORTEST, _TYPICAL * exp(random.gauss(0, _SPREAD)))))


def others_for(length: int, of: Iterable[Subject], focus: Subject, random: Random) -> list[Subject]:
    """Random subjects to stand beside the page's own, one more for each 700 characters."""
    rest = [subject for subject in of if subject is not focus]
    return random.sample(rest, min(len(rest), 1 + length // 700))


def write_page(kind: str, topic: Topic, length: int, written: date, random: Random, statement: str = "") -> SandboxPage:
    """A page of about ``length`` characters, with ``statement`` verbatim in its middle.

    No line of a subject and no sentence of a pool stands on it twice.
    """
    bank, subjects = texts("sentences"), (topic.focus, *topic.others)
    form = bank["kinds"][kind]

    def filled(pattern: str, subject: Subject = topic.focus, **slots: str) -> str:
        others = [other.name for other in subjects if other is not subject]
        own = {"name": subject.name, "theme": topic.theme, "other": others, "count": str(len(subjects))}
        return fill(pattern, random, bank["slots"] | dict(subject.slots) | own | slots)

    pools = [sentence for pool in form["pools"] for sentence in bank["pools"][pool]]
    remarks = [sentence for sentence in pools if topic.others or "<other>" not in sentence]
    random.shuffle(remarks)
    unsaid = {subject.name: random.sample(subject.lines, len(subject.lines)) for subject in subjects}
    heading = topic.theme[:1].upper() + topic.theme[1:]  # by which a search for the theme finds the page
    opening, closing = (filled(random.choice(form[part])) for part in ("opening", "closing"))
    blocks: list[list[str]] = []
    left = length - len(opening) - len(closing) - len(statement)
    while (left > 60 or not blocks) and (remarks or any(unsaid.values())):
        telling = [subject for subject in subjects if unsaid[subject.name]] or [topic.focus]
        is_on_focus = telling[0] is topic.focus and random.random() < _ON_FOCUS
        subject = topic.focus if is_on_focus else random.choice(telling)
        lines = [unsaid[subject.name].pop() for _ in range(min(len(unsaid[subject.name]), random.randint(1, 4)))]
        said = [random.choice(bank["lines"]["next" if at else "first"]) for at in range(len(lines))]
        block = [filled(pattern, subject, line=line) for pattern, line in zip(said, lines, strict=True)]
        # General sentences close a paragraph.
        block += [filled(remarks.pop(), subject) for _ in range(min(len(remarks), random.randint(not lines, 2)))]
        blocks.append(block)
        left -= sum(len(sentence) + 1 for sentence in block)
    if statement:
        blocks = blocks or [[]]
        blocks[len(blocks) // 2].insert(1, statement)
    title = filled(random.choice(form["title"]))
    words = re.sub(r"[^a-z0-9]+", "-", title.casefold())[:60].strip("-")
    url = f"https://{random.choice(form['sites'])}.example/{words}-{random.getrandbits(32):08x}"
    text = "\n\n".join([heading, opening, *map(" ".join, blocks), closing])
    return SandboxPage(url=url, title=title, text=text, date=written.isoformat())
