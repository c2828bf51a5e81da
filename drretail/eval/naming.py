"""Names as people type them: whole, or their beginning where no other name begins so."""

from collections.abc import Iterable

from drretail.errors import UnknownName, UserError


def named(what: str, given: str, names: Iterable[str]) -> str:
    """The name that ``given`` is, or that alone begins so. Raises UnknownName, or UserError where several do."""
    known = sorted(names)
    if given in known:
        return given
    found = [name for name in known if name.startswith(given)]
    if not found:
        raise UnknownName(what, given, known)
    if len(found) > 1:
        raise UserError(f"{given!r} could be any of {', '.join(found)}: give more of the name.")
    return found[0]
