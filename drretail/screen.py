"""The one door to a terminal: what others wrote can't move its cursor, colour, retitle, link or turn what is shown.

``guard_streams`` puts it before stdout and stderr. Rich writes escape codes of its own beside what it is given, so it
goes round the streams, and ``console`` cleans what it is given.
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
"""They turn the order of what stands beside them on a screen."""
UNSAFE = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff{''.join(sorted(TURNING))}]|\r(?!\n)")


def on_screen(text: str) -> str:
    """The text with each character replaced that a terminal would obey, or can't be given."""
    return text if text.isascii() and text.isprintable() else UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped(json_text: str) -> str:
    """JSON that says the same without such characters."""
    return UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", json_text)


class GuardedStream(io.TextIOWrapper):
    """Writes what ``on_screen`` leaves; ``rich_proxied_file`` is what Rich looks for, and writes to instead."""

    unsafe = UNSAFE
    rich_proxied_file: "GuardedStream"
    replaced: io.TextIOWrapper
    """The stream in whose place this one writes: it would close their buffer if nobody held it."""

    def write(self, text: str, /) -> int:
        super().write(self.unsafe.sub("\N{REPLACEMENT CHARACTER}", text))
        return len(text)


class RichStream(GuardedStream):
    """Lets the codes through by which Rich colours and moves up; libraries' own consoles are not ``console``."""

    unsafe = re.compile(rf"(?!\x1b\[[\d;?]*[A-Za-z]|\r)(?:{UNSAFE.pattern})")


def guard_streams() -> None:
    """Puts the door before stdout and stderr, and makes sure that no character can break what is printed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and not isinstance(stream, GuardedStream):
            guarded, rich = (
                # Each writes at once, for the other writes beside it.
                kind(stream.buffer, stream.encoding, "backslashreplace", line_buffering=True, write_through=True)
                for kind in (GuardedStream, RichStream)
            )
            guarded.rich_proxied_file, guarded.replaced = rich, stream
            setattr(sys, name, guarded)


def console(**options: Any) -> "Console":
    """Rich's console, without highlighting, markup and emoji in what it is given, and with all of it ``on_screen``."""
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
