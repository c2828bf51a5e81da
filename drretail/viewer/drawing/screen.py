"""All output to a terminal, cleaned: texts from outside can't move its cursor, colour, retitle, link or reorder text,
and show no key.

``guard_streams`` wraps stdout and stderr. Only ``console`` writes to the streams below, since Rich has escape codes of
its own, and it cleans the texts that Rich is given.
"""

import io
import os
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from drretail.errors import without_keys

if TYPE_CHECKING:
    from rich.console import Console

TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the order in which a screen shows their neighbours."""
UNSAFE = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff{''.join(sorted(TURNING))}]|\r(?!\n)")


def on_screen(text: str) -> str:
    """The text without keys, and with control characters and lone surrogates replaced."""
    text = without_keys(text)
    return text if text.isascii() and text.isprintable() else UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)


def wrapped(text: str, width: int, indent: str = "") -> str:
    """The text in lines of that width, broken between words, and long words after a "+"; later ones are indented."""
    lines = [""]
    for word in text.split(" "):
        for at, piece in enumerate(re.findall(r"[^+]*\+|[^+]+$", word) if len(word) > width else [word]):
            joined = lines[-1] + ("" if at else " ") + piece if lines[-1] else piece
            if lines[-1] and len(joined) > width:
                lines.append(indent + piece)
            else:
                lines[-1] = joined
    return "\n".join(lines)


def fit_to_screen(text: str) -> str:
    """A message for stderr: on a terminal its first line is broken between words. Others may be commands, and stay."""
    try:
        width = os.get_terminal_size(sys.stderr.fileno()).columns
    except OSError:
        return text
    first, newline, others = text.partition("\n")
    margin = first[: len(first) - len(first.lstrip())]
    return textwrap.indent(wrapped(first.strip(), width - len(margin)), margin) + newline + others


def escaped(json_text: str) -> str:
    """The same JSON, with those characters escaped."""
    return UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", json_text)


class GuardedStream(io.TextIOWrapper):
    """A stream that writes texts as ``on_screen`` cleans them."""

    replaced: io.TextIOWrapper
    """The stream that this one replaces. If it were freed, it would close the buffer that both share."""

    def write(self, text: str, /) -> int:
        super().write(on_screen(text))
        return len(text)


def guard_streams() -> None:
    """Wraps stdout and stderr in ``GuardedStream``; characters that the encoding lacks are escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and not isinstance(stream, GuardedStream):
            # Unbuffered, since both write to the same terminal.
            stream.reconfigure(errors="backslashreplace", line_buffering=True, write_through=True)
            guarded = GuardedStream(
                stream.buffer, stream.encoding, stream.errors, line_buffering=True, write_through=True
            )
            guarded.replaced = stream
            setattr(sys, name, guarded)


def console(*, stderr: bool = False, **options: Any) -> "Console":
    """Rich's console, which prints texts as they are (no highlighting, markup or emoji codes) and ``on_screen``."""
    stream = sys.stderr if stderr else sys.stdout
    stream = stream.replaced if isinstance(stream, GuardedStream) else stream
    return _console()(file=stream, highlight=False, markup=False, emoji=False, **options)


@cache
def _console() -> "type[Console]":
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class CleanConsole(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else segment._replace(text=on_screen(segment.text))

    return CleanConsole
