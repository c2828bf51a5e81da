"""All output to a terminal, cleaned: texts from outside can't move its cursor, colour, retitle, link or reorder text.

``guard_streams`` wraps stdout and stderr. Rich writes escape codes of its own, so it bypasses the wrapped streams, and
``console`` cleans the texts that Rich is given.
"""

import io
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the order in which a screen shows their neighbours."""
UNSAFE = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff{''.join(sorted(TURNING))}]|\r(?!\n)")


def on_screen(text: str) -> str:
    """The text with control characters and lone surrogates replaced."""
    return text if text.isascii() and text.isprintable() else UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped(json_text: str) -> str:
    """The same JSON, with those characters escaped."""
    return UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", json_text)


class GuardedStream(io.TextIOWrapper):
    """A stream that writes texts as ``on_screen`` cleans them; Rich writes to its ``rich_proxied_file``."""

    unsafe = UNSAFE
    rich_proxied_file: "GuardedStream"
    replaced: io.TextIOWrapper
    """The stream that this one replaces. It is kept, since it would close the shared buffer when it is freed."""

    def write(self, text: str, /) -> int:
        super().write(self.unsafe.sub("\N{REPLACEMENT CHARACTER}", text))
        return len(text)


class RichStream(GuardedStream):
    """A stream for Rich that lets its colour and cursor codes pass; libraries may have consoles of their own."""

    unsafe = re.compile(rf"(?!\x1b\[[\d;?]*[A-Za-z]|\r)(?:{UNSAFE.pattern})")


def guard_streams() -> None:
    """Wraps stdout and stderr in ``GuardedStream``, which also escapes characters that the encoding lacks."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and not isinstance(stream, GuardedStream):
            guarded, rich = (
                # Unbuffered, since both write to the same terminal.
                kind(stream.buffer, stream.encoding, "backslashreplace", line_buffering=True, write_through=True)
                for kind in (GuardedStream, RichStream)
            )
            guarded.rich_proxied_file, guarded.replaced = rich, stream
            setattr(sys, name, guarded)


def console(**options: Any) -> "Console":
    """Rich's console, which prints texts as they are (no highlighting, markup or emoji codes) and ``on_screen``."""
    return _console()(highlight=False, markup=False, emoji=False, **options)


@cache
def _console() -> "type[Console]":
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class CleanConsole(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else segment._replace(text=on_screen(segment.text))

    return CleanConsole
