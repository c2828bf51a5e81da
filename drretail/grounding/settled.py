"""What settles a claim, and how its words and a record's text are read for it."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from drretail.grounding.values import Value
from drretail.records.evidence import EvidenceText

_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*")
# A claim that denies or compares names values that belong to something else, or to nothing.
TURNED = re.compile(
    r"\b(?:not|no|never|n['’]t|without|unlike|than|versus|vs|against|compared|if|would|could|may|might|was|were|formerly"
    r"|previously|originally|instead|rather|while|whereas|but|other|another|alternative|similar|most|some|range|between"
    r"|average of)\b|n['’]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Settled:
    """What a record says of a claim. ``quote`` stands in ``source``."""

    value: Literal[0, 1]
    reason: str
    quote: str
    source: EvidenceText


def exact(number: float) -> Decimal:
    """A record's number, as it is written."""
    return Decimal(str(number))


def parsed_record(text: str) -> dict[str, Any] | None:
    """The record that a text of the ledger is; None where it is none."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def quote_of(text: str, field: str) -> str | None:
    found = re.search(rf'"{field}"\s*:\s*(?:"[^"]*"|[^,"}}\]]+)', text)
    return None if found is None else found[0]


def words_of(text: str) -> list[str]:
    return [word[0].casefold().replace("’", "'").removesuffix("'s") for word in _WORD.finditer(text)]


def words_besides(text: str, values: Sequence[Value], known: frozenset[str]) -> list[str]:
    """The words of a claim that are neither values nor known."""
    rest = text
    for value in values:
        rest = rest[: value.start] + " " * (value.end - value.start) + rest[value.end :]
    return [word for word in words_of(rest) if word not in known]
