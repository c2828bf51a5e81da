"""Ids as models write them: in any form that the shop prints, resolved to the one record that they name, or to none."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen

from drretail.env.session import Session
from drretail.errors import NotFound, ToolError, nearest_names, quoted
from drretail.records.shop import SHOP_URL
from drretail.tools.tool import IdOf, Named, Parameter

_LONGEST = 200
"""The most characters of an id, with everything that may stand around it."""
ProductId = Annotated[str, MinLen(1), MaxLen(_LONGEST), IdOf("product")]
OrderId = Annotated[str, MinLen(1), MaxLen(_LONGEST), IdOf("order")]
UserId = Annotated[str, MinLen(1), MaxLen(_LONGEST), IdOf("user")]

_WRAPPERS = str.maketrans(dict.fromkeys("\"'`“”‘’«»[](){}<>【】*\\", " "))
_KEY = r"[A-Za-z0-9][A-Za-z0-9_-]*"
_BARE = re.compile(_KEY)
_URL = re.compile(rf"(?<!\S)(?:https?://)?{re.escape(SHOP_URL.partition('://')[2])}/({_KEY})/?(?!\S)", re.IGNORECASE)
_MARK = re.compile(
    rf"(?<!\S)(?:([POWCFS]):[ ]?({_KEY})|U:(?:profile|orders|statistics)(@{_KEY})?)(?=[\s,;]|$)", re.IGNORECASE
)
_LABEL = re.compile(r"(?<!\S)(?:(?:product|order|user)(?:[ _]?id)?|id)\b(?:\s*[:=#]|(?=\s|$))", re.IGNORECASE)
_LETTERS: Mapping[Named, str] = {"product": "P", "order": "O"}
_FORMS: Mapping[Named, str] = {
    "product": 'one id as search results show it, e.g. "B0EXAMPLE1", and nothing else',
    "order": 'one id as lists of orders show it, with its leading zeros, e.g. "0123456789"',
    "user": 'the id of one user, e.g. "AEXAMPLEUSER00000000000000A1"',
}


_SLIP = 0.8
"""How similar an id must be to be suggested: two digits of ten may differ. Below that, scripted models took unrelated
orders for hints.
"""


def with_ids_read(
    session: Session, parameters: Sequence[Parameter], arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The arguments with each id as the shop writes it, and the ids that were changed, by argument.

    A text that names no record, or more than one, is left as it is; the tool refuses it.
    """
    mended: dict[str, str] = {}
    for parameter in parameters:
        given = arguments.get(parameter.name)
        if parameter.id_of is not None and isinstance(given, str):
            known = _known_id(session, parameter.id_of, given)
            if known is not None and known != given:
                mended[parameter.name] = known
    return {**arguments, **mended}, mended


def explained(
    problem: NotFound, session: Session, parameters: Sequence[Parameter], given: object, path: str
) -> ToolError:
    """The same error, extended by the form that the id must have and by the most similar ids that ``path`` has seen."""
    named: Named | None = next((parameter.id_of for parameter in parameters if parameter.name == problem.field), None)
    if named is None or not isinstance(given, str):
        return problem
    ids = _ids_in(named, given, session.settings.user_id)
    # The words of a title are not ids: every id of a shop has a digit.
    are_ids = len(ids) > 1 and all(any(map(str.isdigit, id_)) for id_ in ids)
    several = f" These are {len(ids)} ids: make one call for each." if are_ids else ""
    nearest = nearest_names(ids[0] if len(ids) == 1 else given, _shown(session, named, path), 3, likeness=_SLIP)
    hint = f" Did you mean {', '.join(nearest)}?" if nearest else ""
    if named == "user" and session.settings.user_id is None and _MARK.fullmatch(given.strip(" []")):
        hint = " Nobody asks here, so that U:… names nobody."
    message = f"There is no {named} {quoted(given)} in this shop: {problem.field} takes {_FORMS[named]}.{several}{hint}"
    return ToolError("not_found", message, field=problem.field)


def _known_id(session: Session, named: Named, given: str) -> str | None:
    """The one id of a record in the text: as it is written, or else in capitals or small letters. None if there is not
    exactly one.

    A user's id is never looked up in the store: not everyone may know which other users exist.
    """
    own = session.settings.user_id
    is_known = given == own if named == "user" else bool(_existing(session, named, [given]))
    if is_known:
        return given
    ids = _ids_in(named, given, own if named == "user" else None)
    if len(ids) != 1:
        return None
    (key,) = ids
    if named == "user":
        return own if own is not None and key.casefold() == own.casefold() else key
    existing = _existing(session, named, list(dict.fromkeys([key, key.upper(), key.lower()])))
    return key if key in existing else existing[0] if len(existing) == 1 else None


def _existing(session: Session, named: Named, ids: Sequence[str]) -> list[str]:
    """The ids, of products or of orders, that the shop has."""
    store = session.settings.world.store
    if named == "product":
        return list(store.products(ids))
    existing: list[str] = []
    for order_id in ids:
        with suppress(NotFound):
            existing.append(store.order(order_id).order_id)
    return existing


def _ids_in(named: Named, given: str, own: str | None) -> list[str]:
    """The distinct ids of this kind in a text that holds nothing but ids; empty if it holds anything else."""
    plain = given.translate(_WRAPPERS).strip(" \t\r\n,;.#")
    text = _URL.sub(r" P:\1 ", _LABEL.sub(" ", plain))
    marks = [match.groups() for match in _MARK.finditer(text)]
    rest = [part for part in re.split(r"[\s,;]+", _MARK.sub(" ", text)) if part]
    if not all(_BARE.fullmatch(each) for each in rest):
        return []
    if named == "user":
        marked = [(whose or f"@{own or ''}")[1:] for letter, _, whose in marks if letter is None]
    else:
        marked = [key for letter, key, _ in marks if letter is not None and letter.upper() == _LETTERS[named]]
    return list({each.casefold(): each for each in (*filter(None, marked), *rest)}.values())


def _shown(session: Session, named: Named, path: str) -> Iterable[str]:
    """The ids that may be suggested: only those that this run has seen."""
    if named == "user":
        return [] if session.settings.user_id is None else [session.settings.user_id]
    return [entry.key for entry in session.ledger.known_at(path) if entry.kind == named]
