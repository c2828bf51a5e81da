"""Which claims two answers share, and which only one of them makes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from drretail.grounding.report.marks import find_marks
from drretail.grounding.report.markup import blanked
from drretail.grounding.text.words import content_stems
from drretail.viewer.claims import SIGNS, WORDS, Claim
from drretail.viewer.experiment import RunView

RULE = "Two claims count as the same if their figures and at least half of their words and sources are the same."
LEAST = 0.5
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
Kind = Literal["verdict", "only_a", "only_b", "same"]
KINDS: dict[Kind, str] = {"verdict": "~", "only_a": "−", "only_b": "+", "same": "="}
"""The kinds of changes in the order in which they are shown, with their signs in a terminal."""


@dataclass(frozen=True, slots=True)
class Change:
    """A claim of A alone, of B alone, or of both."""

    a: Claim | None
    b: Claim | None

    @property
    def kind(self) -> Kind:
        if self.a is None or self.b is None:
            return "only_a" if self.b is None else "only_b"
        return "same" if self.a.support == self.b.support else "verdict"

    @property
    def line(self) -> str:
        """For a terminal, such as "~ ✓ → ○ It is rated 4.5 out of 5."."""
        claims = [claim for claim in (self.a, self.b) if claim is not None]
        return f"{KINDS[self.kind]} {' → '.join(SIGNS[claim.support] for claim in claims)} {plain(claims[-1])}"


def claim_changes(a: RunView, b: RunView) -> list[Change] | None:
    """How the claims of two answers differ by their first judge; None if the first judges are not the same."""
    if not a.claims or not b.claims or a.claims[0].judged.by != b.claims[0].judged.by:
        return None
    return changes(a.claims[0].claims, b.claims[0].claims)


def changes(a: Sequence[Claim], b: Sequence[Claim]) -> list[Change]:
    """Each claim once: changed verdicts, then claims of one side, then equal ones.

    The most similar claims are matched first, each with at most one other. Within a kind, the order is the reports'.
    """
    likeness = [(likeness_of(each, other), each, other) for each in a for other in b]
    likeness.sort(key=lambda pair: (-pair[0], pair[1].number, pair[2].number))
    partners: dict[int, Claim] = {}
    taken: set[int] = set()
    for share, claim, other in likeness:
        if share >= LEAST and claim.number not in partners and other.number not in taken:
            partners[claim.number] = other
            taken.add(other.number)
    matched = [Change(claim, partners.get(claim.number)) for claim in a]
    matched += [Change(None, other) for other in b if other.number not in taken]
    return sorted(matched, key=lambda change: [*KINDS].index(change.kind))


def likeness_of(a: Claim, b: Claim) -> float:
    """The share of the words and sources of either that both have (Jaccard); 0 if their figures differ."""
    texts = plain(a), plain(b)
    one, other = (frozenset(each.replace(",", "") for each in _FIGURE.findall(text)) for text in texts)
    if one != other:
        return 0.0
    mine, yours = (frozenset((*content_stems(text), *claim.sources)) for text, claim in zip(texts, (a, b), strict=True))
    together = mine | yours
    return len(mine & yours) / len(together) if together else float(texts[0] == texts[1])


def plain(claim: Claim) -> str:
    """Its text on one line, without citation marks."""
    return " ".join(blanked(claim.text, [(mark.start, mark.end) for mark in find_marks(claim.text)]).split())


def verdict_words(claim: Claim | None) -> str:
    return "not said" if claim is None else f"{SIGNS[claim.support]} {WORDS[claim.support]}"
