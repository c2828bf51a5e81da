"""One thing that was looked at, and all that are looked at."""

from collections.abc import Iterable, Mapping
from typing import Literal

from drretail.records.base import Record

State = Literal["ok", "absent", "broken"]
"""``absent``: something optional is not there. ``broken``: what is needed, or was asked for, does not work."""


class Sign(Record):
    """One thing that was looked at."""

    what: str
    state: State
    found: str
    prevents: str | None = None
    """What cannot be done without it."""
    mend: str | None = None
    """The command, or the step, that brings it."""


def broken(signs: Iterable[Sign]) -> list[Sign]:
    """What has to be mended before that which was asked for works."""
    return [sign for sign in signs if sign.state == "broken"]


def examine(environ: Mapping[str, str], folders: Iterable[str]) -> list[Sign]:
    """All that can be seen without asking anybody; ``folders`` are those that drretail writes to."""
    from drretail.doctor.machine import examine_java, examine_python, examine_room
    from drretail.doctor.packages import examine_packages
    from drretail.doctor.providers import examine_keys

    return [
        examine_python(),
        *examine_packages(),
        *examine_keys(environ),
        examine_java(environ),
        *examine_room(folders),
    ]
