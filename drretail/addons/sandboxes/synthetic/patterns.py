"""Sentences from patterns: one option of {a|b} is drawn, and <name> is filled in."""

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
    """The pattern with one option of each {a|b} and its slots filled. Slots without a value stay as they are.

    A slot's value may be a function, called when the value is needed: a page needs one in ten of those it offers.
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
    """Parses tokens up to the end of the current option: its texts and lists of options, and where it ends."""
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
    """The patterns of the file "sentences" or "planted", by purpose."""
    file = resources.files("drretail.addons.sandboxes.synthetic").joinpath(f"{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))
