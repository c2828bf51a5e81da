"""Sentences from patterns: {a|b} is drawn, <name> is filled in."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from random import Random
from typing import Any

_TOKEN = re.compile(r"[{}|]|[^{}|]+")
_SLOT = re.compile(r"<(\w+)>")


def fill_pattern(pattern: str, random: Random, slots: Mapping[str, str | Callable[[], str]]) -> str:
    """The pattern with one of each {a|b} and its slots filled; a slot that is not given stays as it is.

    What a slot is filled with may be drawn when it is needed: a page draws for one slot in ten of those it could fill.
    """
    text = "".join(_drawn(_parsed(pattern), random))

    def filled(slot: re.Match[str]) -> str:
        value = slots.get(slot[1], slot[0])
        return value if isinstance(value, str) else value()

    return _SLOT.sub(filled, text)


@cache
def _parsed(pattern: str) -> tuple[Any, ...]:
    parts, rest = _sequence(_TOKEN.findall(pattern), 0)
    assert rest == len(_TOKEN.findall(pattern)), pattern
    return parts


def _sequence(tokens: Sequence[str], at: int) -> tuple[tuple[Any, ...], int]:
    """Texts, and lists of alternatives, up to the end of the one that is being read."""
    parts: list[Any] = []
    while at < len(tokens) and tokens[at] not in "|}":
        if tokens[at] != "{":
            parts.append(tokens[at])
            at += 1
            continue
        choices: list[tuple[Any, ...]] = []
        while tokens[at] != "}":
            choice, at = _sequence(tokens, at + 1)
            choices.append(choice)
        parts.append(choices)
        at += 1
    return tuple(parts), at


def _drawn(parts: tuple[Any, ...], random: Random) -> list[str]:
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        else:
            texts += _drawn(part[int(random.random() * len(part))], random)
    return texts


@cache
def texts(name: str) -> dict[str, Any]:
    """The patterns of one file, by what they are for: "sentences" or "planted"."""
    file = resources.files("drretail.sandboxes.synthetic").joinpath(f"{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))
