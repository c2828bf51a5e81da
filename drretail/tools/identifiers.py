"""Ids as models give them: in every form that the shop prints, read as the one record that they name, or as none."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen

from drretail.env.session import Session
from drretail.env.store.base import Store
from drretail.errors import NotFound, ToolError, nearest_names, quoted
from drretail.records.shop import SHOP_URL
from drretail.tools.schema import Parameter
from drretail.tools.tool import IdOf, Named

_LONGEST = 200
"""Characters: an id with all that may stand around it."""
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
"""How alike an id must be to be meant: two digits of ten changed. Played models took unrelated orders for hints."""


def with_ids_read(
    session: Session, parameters: Sequence[Parameter], arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The arguments with each id as the shop knows it, and those of them that were not given so.

    What names no record, or more than one, stays as it is, for the tool to refuse.
    """
    mended: dict[str, str] = {}
    for parameter in parameters:
        given = arguments.get(parameter.name)
        if parameter.id_of is not None and isinstance(given, str):
            known = _READERS[parameter.id_of](session, given)
            if known is not None and known != given:
                mended[parameter.name] = known
    return {**arguments, **mended}, mended


def explained(
    problem: NotFound, session: Session, parameters: Sequence[Parameter], given: object, path: str
) -> ToolError:
    """The same error with the right form of such an id, and the nearest that the step at ``path`` was shown."""
    named: Named | None = next((parameter.id_of for parameter in parameters if parameter.name == problem.field), None)
    if named is None or not isinstance(given, str):
        return problem
    ids = _ids_in(named, given, session.user_id)
    # The words of a title are no ids; those of a shop hold a digit.
    are_ids = len(ids) > 1 and all(any(map(str.isdigit, id_)) for id_ in ids)
    several = f" These are {len(ids)} ids: make one call for each." if are_ids else ""
    nearest = nearest_names(ids[0] if len(ids) == 1 else given, _shown(session, named, path), 3, likeness=_SLIP)
    hint = f" Did you mean {', '.join(nearest)}?" if nearest else ""
    if named == "user" and session.user_id is None and _MARK.fullmatch(given.strip(" []")):
        hint = " Nobody asks here, so that U:… names nobody."
    message = f"There is no {named} {quoted(given)} in this shop: {problem.field} takes {_FORMS[named]}.{several}{hint}"
    return ToolError("not_found", message, field=problem.field)


def _product(session: Session, given: str) -> str | None:
    return _known(given, "product", lambda ids: list(session.world.store.products(ids)))


def _order(session: Session, given: str) -> str | None:
    return _known(given, "order", lambda ids: [id_ for id_ in ids if _is_order(session.world.store, id_)])


def _user(session: Session, given: str) -> str | None:
    """Without asking the store: whether somebody else exists is not for everyone to know."""
    own = session.user_id
    ids = [] if given == own else _ids_in("user", given, own)
    if len(ids) != 1:
        return None
    return own if own is not None and ids[0].casefold() == own.casefold() else ids[0]


_READERS: Mapping[Named, Callable[[Session, str], str | None]] = {"product": _product, "order": _order, "user": _user}


def _known(given: str, named: Named, existing: Callable[[Sequence[str]], Sequence[str]]) -> str | None:
    """The one id of a record that the text holds; as it is written first, then in capitals or small letters."""
    if existing([given]):
        return given
    ids = _ids_in(named, given, None)
    if len(ids) != 1:
        return None
    found = existing(list(dict.fromkeys([ids[0], ids[0].upper(), ids[0].lower()])))
    return ids[0] if ids[0] in found else found[0] if len(found) == 1 else None


def _ids_in(named: Named, given: str, own: str | None) -> list[str]:
    """The distinct ids of this kind in a text that holds nothing but ids; empty where it holds anything else."""
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


def _is_order(store: Store, order_id: str) -> bool:
    try:
        store.order(order_id)
    except NotFound:
        return False
    return True


def _shown(session: Session, named: Named, path: str) -> Iterable[str]:
    """What ids may be meant: nothing that this run has not seen."""
    if named == "user":
        return [] if session.user_id is None else [session.user_id]
    return [entry.key for entry in session.ledger.known_at(path) if entry.kind == named]
