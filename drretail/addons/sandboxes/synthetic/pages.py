"""Made-up pages on any topic: what holds of its subjects, what people say, and a planted statement in the middle.

Kinds of pages and their sentences are data: in a pattern {a|b} is either, and <name> is filled in (sentences.toml).
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
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
    angle: str | None = None
    """How it looks at the theme, one of the angles in sentences.toml."""


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


def others_for(length: int, of: Sequence[Subject], focus: Subject, random: Random) -> list[Subject]:
    """Random subjects to stand beside the page's own, one more for each 700 characters."""
    rest = [subject for subject in of if subject is not focus]
    return random.sample(rest, min(len(rest), 1 + length // 700))


def write_page(kind: str, topic: Topic, length: int, written: date, random: Random, statement: str = "") -> SandboxPage:
    """A page of about ``length`` characters, with ``statement`` verbatim in its middle."""
    writer = _Writer(kind, topic, random)
    title = writer.filled(random.choice(writer.form["title"]))
    text = writer.text(length, statement)
    words = re.sub(r"[^a-z0-9]+", "-", title.casefold())[:60].strip("-")
    url = f"https://{random.choice(writer.form['sites'])}.example/{words}-{random.getrandbits(32):08x}"
    return SandboxPage(url=url, title=title, text=text, date=written.isoformat())


class _Writer:
    """Writes one page, on which no line of a subject and no sentence of a pool stands twice."""

    def __init__(self, kind: str, topic: Topic, random: Random) -> None:
        self.topic, self.random = topic, random
        self.bank = texts("sentences")
        self.form = self.bank["kinds"][kind]
        pools: dict[str, list[str]] = self.bank["pools"] | {"angle": self.bank["angles"].get(topic.angle, [])}
        said = {name: [each for each in pool if topic.others or "<other>" not in each] for name, pool in pools.items()}
        self.pools = {name: random.sample(pool, len(pool)) for name, pool in said.items()}
        subjects = (topic.focus, *topic.others)
        self.lines = {subject.name: random.sample(subject.lines, len(subject.lines)) for subject in subjects}
        """What is not said yet, in random order."""

    def text(self, length: int, statement: str) -> str:
        rows = [*self.form.get("head", ())]
        if row := self.form.get("row"):
            rows += [self.filled(row, subject) for subject in (self.topic.focus, *self.topic.others)]
        head = [self.filled(self.random.choice(self.form["opening"])), *(["\n".join(rows)] if rows else [])]
        closing = self.filled(self.random.choice(self.form["closing"]))
        blocks: list[list[str]] = []
        left = length - len(statement) - sum(map(len, (*head, closing)))
        while (left > 60 or not blocks) and (block := self._block()):
            blocks.append(block)
            left -= sum(len(sentence) + 1 for sentence in block)
        if statement:
            blocks = blocks or [[]]
            blocks[len(blocks) // 2].insert(1, statement)
        return "\n\n".join([*head, *map(self._shown, blocks), closing])

    def filled(self, pattern: str, subject: Subject | None = None, **slots: str) -> str:
        subject = subject or self.topic.focus
        others = [other.name for other in (self.topic.focus, *self.topic.others) if other is not subject]
        own = {"name": subject.name, "theme": self.topic.theme, "other": others, "count": str(1 + len(others))}
        return fill(pattern, self.random, self.bank["slots"] | dict(subject.slots) | own | slots)

    def _block(self) -> list[str]:
        """Sentences on one subject, the first with its name; empty if nothing new is left to say."""
        focus = self.topic.focus
        telling = [subject for subject in (focus, *self.topic.others) if self.lines[subject.name]]
        is_on_focus = focus in telling[:1] and self.random.random() < _ON_FOCUS
        subject = focus if is_on_focus or not telling else self.random.choice(telling)
        chances = self.form["chances"]
        pools = self.random.choices([*chances], [*chances.values()], k=self.random.randint(*self.form["sentences"]))
        # General sentences close a paragraph.
        places = ["first", *("next" for pool in pools if pool == "lines")]
        sentences = [self._line(subject, place) for place in places]
        sentences += [self._of_pool(pool, subject) for pool in pools if pool != "lines"]
        return [*filter(None, sentences)] or [*filter(None, [self._of_pool("advice", subject)])]

    def _line(self, subject: Subject, place: str) -> str | None:
        if not (left := self.lines[subject.name]):
            return None
        return self.filled(self.random.choice(self.bank["lines"][place]), subject, line=left.pop())

    def _of_pool(self, pool: str, subject: Subject) -> str | None:
        return self.filled(left.pop(), subject) if (left := self.pools[pool]) else None

    def _shown(self, block: Sequence[str]) -> str:
        text = " ".join(block)
        if (pattern := self.form.get("paragraph")) is None:
            return text
        questions = self.pools["question"] or self.bank["pools"]["question"][-1:]  # long pages end with the last anew
        self.pools["question"] = questions[:-1]
        return self.filled(pattern, text=text, question=self.filled(questions[-1]))
