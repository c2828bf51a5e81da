"""No regular expression of the package takes more than linear time over one long word, as anybody may send."""

import ast
import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from types import ModuleType
from typing import Any

import pytest

import drretail
from drretail.errors import UserError

METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
BLANK = (" ", "\n", "\t")
UNITS = (
    *BLANK,
    "a",
    "A",
    "7",
    "é",
    *"[](){}<>@.,;:-_'\"*|/\\$%#&=~`^!?",
    "a.",
    "a-",
    "7,",
    "a ",
    "a@",
    "a\n",
    '\\"',
    "<think>",
)
WORDS = (*((unit, "§") for unit in UNITS), *((unit, "") for unit in BLANK))
"""What is repeated, and how it ends: with a sign that goes on with nothing, since a pattern takes longest to fail."""
SIZES = (200, 1_600, 12_800, 102_400)
"""From the smallest on, so that what grows with a power is found before it takes minutes."""
GROWTH = 1.6
"""The power of the length with which time may grow: linear is 1, quadratic 2, and over 8 times as much no noise hides
which of them it is."""
HARMLESS = 0.1
"""Seconds of processor over the longest word, by the square of the length from a shorter one: what stays below it is
no matter, and too short to be measured."""


@dataclass(frozen=True)
class Use:
    """A pattern, and how some module asks it."""

    place: str
    pattern: str
    flags: int
    method: str

    def over(self, text: str) -> object:
        found = getattr(re.compile(self.pattern, self.flags), self.method)
        if self.method in ("sub", "subn"):
            return found("", text)
        return sum(1 for _ in found(text)) if self.method == "finditer" else found(text)


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(drretail.__path__, "drretail."):
        if not found.name.endswith("__main__"):
            try:
                yield importlib.import_module(found.name)
            except (ImportError, UserError):  # what belongs to a package that is not installed
                continue


def uses() -> set[Use]:
    """Every pattern of the package with every method that is called on it; finditer where it is handed on."""
    asked: set[Use] = set()
    kept: dict[re.Pattern[str], str] = {}
    for module in modules():
        tree = ast.parse(inspect.getsource(module))
        for pattern in _patterns(vars(module).values()):
            kept.setdefault(pattern, module.__name__)
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            asked.update(_asked(module, call))
    known = {(use.pattern, use.flags) for use in asked}
    others = [(pattern, place) for pattern, place in kept.items() if (pattern.pattern, pattern.flags) not in known]
    return asked | {Use(place, pattern.pattern, pattern.flags, "finditer") for pattern, place in others}


def _patterns(values: Any, depth: int = 0) -> Iterator[re.Pattern[str]]:
    for value in values:
        if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
            yield value
        elif depth < 3 and isinstance(value, list | tuple | set | frozenset | dict):
            yield from _patterns(value.values() if isinstance(value, dict) else value, depth + 1)


def _asked(module: ModuleType, call: ast.Call) -> Iterator[Use]:
    """``PATTERN.search(text)``, ``re.search(PATTERN, text)``, and a method that is handed on is a call's argument."""
    for node in (call.func, *call.args, *(keyword.value for keyword in call.keywords)):
        if not isinstance(node, ast.Attribute) or node.attr not in METHODS:
            continue
        held = _value(module, node.value)
        if held is re and node is call.func and call.args:
            held = _value(module, call.args[0])
        for pattern in _patterns([re.compile(held) if isinstance(held, str) else held]):
            yield Use(module.__name__, pattern.pattern, pattern.flags, node.attr)


def _value(module: ModuleType, node: ast.expr) -> object:
    """What an expression of a module's globals is; None where it has locals."""
    try:
        return eval(compile(ast.Expression(node), "", "eval"), vars(module))
    except Exception:  # noqa: BLE001 -- it has locals
        return None


def how_it_grows(run: Callable[[str], object]) -> str | None:
    """The word over which time grows with more than the length, and how; None where it does so over none."""
    slowest, most = WORDS[0], 0.0
    for word in WORDS:
        seconds, growth = _growth(run, word, SIZES[:-1])
        if growth is not None:
            return growth
        slowest, most = max((slowest, most), (word, seconds), key=itemgetter(1))
    return _growth(run, slowest, SIZES[-2:])[1] if _may_harm(most, SIZES[-2]) else None


def _growth(run: Callable[[str], object], word: tuple[str, str], sizes: Sequence[int]) -> tuple[float, str | None]:
    """Seconds over the longest of these words, and how they grew where that was too fast, measured thrice."""
    before, seconds = 0.0, 0.0
    for last, size in zip((0, *sizes), sizes, strict=False):
        before, seconds = seconds, _seconds(run, word, size)
        if last and _may_harm(seconds, size) and seconds > before * (size / last) ** GROWTH:
            seconds = min(seconds, _seconds(run, word, size), _seconds(run, word, size))
            before = max(before, _seconds(run, word, last), _seconds(run, word, last))
            if seconds > before * (size / last) ** GROWTH:
                return (
                    seconds,
                    f"{word[0]!r}: {before * 1000:.2f} ms over {last:,}, {seconds * 1000:.1f} ms over {size:,}",
                )
    return seconds, None


def _may_harm(seconds: float, size: int) -> bool:
    """True where the longest word would take too long, if time grew with the square of the length."""
    return seconds * (SIZES[-1] / size) ** 2 > HARMLESS


def _seconds(run: Callable[[str], object], word: tuple[str, str], size: int) -> float:
    unit, end = word
    text = (unit * size)[: size - 1] + end
    began = time.thread_time()
    run(text)
    return time.thread_time() - began


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_every_pattern_is_linear_over_one_long_word() -> None:
    found = sorted(uses(), key=lambda use: (use.place, use.pattern, use.method))
    assert len(found) > 300, "the patterns are not found any more"
    slow = [f"{use.place} {use.method} {use.pattern[:100]!r} {how}" for use in found if (how := how_it_grows(use.over))]
    assert not slow, "\n" + "\n".join(slow)
