"""Names as people type them: whole, or their beginning where no other name begins so."""

from collections.abc import Iterable

from drretail.errors import UnknownName, UserError


def named(what: str, given: str, names: Iterable[str]) -> str:
    """The name that ``given`` is, or that alone begins so.

    Of labels, ``react`` is react@model and not react+ws@model, and the plain system before those with options. Raises
    UnknownName, or UserError where several are left.
    """
    known = sorted(names)
    if given in known:
        return given
    found = [name for name in known if name.startswith(given)]
    if not found:
        raise UnknownName(what, given, known)
    found = [name for name in found if name.startswith(f"{given}@")] or found
    plain = min(found, key=len)
    if not all(name.startswith(plain) for name in found):
        raise UserError(f"{given!r} could be any of {', '.join(found)}: give more of the name.")
    return plain
