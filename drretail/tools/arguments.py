"""Checks a model's arguments: by a tool's schema, ids in every form that the shop prints, whose data a tool may
read or change, and what a query to a search engine may hold.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen

from drretail.env.session import Session
from drretail.errors import NotFound, ToolError, nearest_names, quoted, shortened, suggestion
from drretail.parsing import writable
from drretail.records.shop import SHOP_URL
from drretail.tools.tool import IdOf, Named, Parameter

_NUMERAL = re.compile(r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_arguments(parameters: tuple[Parameter, ...], given: object, prefix: str = "") -> dict[str, Any]:
    """The arguments to call a tool with; missing and null optional ones are left out.

    A number may be a plain numeral in a string, since models send those. Nothing else is converted.

    Raises ToolError("invalid_argument") that names the field and the allowed values.
    """
    if not isinstance(given, Mapping):
        where = f"{prefix.rstrip('.')} " if prefix else "The arguments "
        raise _wrong(f"{where}must be a JSON object.", prefix.rstrip(".") or None)
    by_name = {parameter.name: parameter for parameter in parameters}
    for key in given:
        if key not in by_name:
            name = key if isinstance(key, str) else quoted(key)
            hint = suggestion(nearest_names(name, list(by_name), 3), by_name)
            message = f"There is no argument {quoted(prefix + name)}. {hint}"
            raise ToolError("invalid_argument", message, field=shortened(f"{prefix}{name}"), allowed=list(by_name))
    arguments: dict[str, Any] = {}
    for name, parameter in by_name.items():
        value, field = given.get(name), f"{prefix}{name}"
        if value is None and parameter.required:
            raise _wrong(f"{field} is missing: {parameter.description}", field)
        if value is None:
            continue
        if parameter.type == "object":
            arguments[name] = read_arguments(parameter.fields, value, f"{field}.")
        elif parameter.type == "string":
            arguments[name] = _text(parameter, value, field)
        else:
            arguments[name] = _number(parameter, value, field)
    return arguments


def _text(parameter: Parameter, value: object, field: str) -> str:
    if not isinstance(value, str):
        raise _wrong(f"{field} must be a string.", field)
    if _SURROGATE.search(value):
        raise _wrong(f"{field} holds half of a character (an unpaired surrogate).", field)
    if parameter.enum and value not in parameter.enum:
        raise ToolError(
            "invalid_argument", f"{field} must be one of the allowed values.", field=field, allowed=parameter.enum
        )
    if parameter.min_length is not None and len(value) < parameter.min_length:
        raise _wrong(f"{field} is empty: {parameter.description}", field)
    if parameter.max_length is not None and len(value) > parameter.max_length:
        raise _wrong(f"{field} has {len(value)} characters; at most {parameter.max_length} are allowed.", field)
    return value


def _number(parameter: Parameter, value: object, field: str) -> float | int:
    number = value
    if isinstance(value, str):
        text = value.strip()
        number = None if not _NUMERAL.fullmatch(text) else float(text) if "." in text else int(text)
    kind = "a whole number" if parameter.type == "integer" else "a number"
    # bool is an int to Python, but not to JSON. NaN and infinities are not below 2**53 either; a store's columns hold
    # 64 bits, and no argument needs more than 53.
    if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) < 2**53:
        raise _wrong(f"{field} must be {kind}{_range(parameter)}.", field)
    if parameter.type == "integer" and number != int(number):
        raise _wrong(f"{field} must be {kind}{_range(parameter)}; {number:g} is not.", field)
    low, high = parameter.minimum, parameter.maximum
    if (low is not None and number < low) or (high is not None and number > high):
        raise _wrong(f"{field} must be {kind}{_range(parameter)}; {number:g} is not.", field)
    return int(number) if parameter.type == "integer" else float(number)


def _range(parameter: Parameter) -> str:
    low, high = parameter.minimum, parameter.maximum
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    return f" of at least {low:g}" if low is not None else ""


def _wrong(message: str, field: str | None) -> ToolError:
    return ToolError("invalid_argument", message, field=field)


def recordable(value: object, depth: int = 8) -> Any:
    """The value as JSON that can be written to a file, so that no argument of a model can break the run's record."""
    if isinstance(value, str):
        return writable(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else f"a whole number of {value.bit_length()} bits"
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, Mapping) and depth:
        return {str(recordable(key, 0)): recordable(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple) and depth:
        return [recordable(item, depth - 1) for item in value]
    return f"… ({type(value).__name__})"  # its repr may be endless, or fail


_LONGEST = 200
"""The most characters of an id, with everything that may stand around it."""
ProductId = Annotated[str, MinLen(1), MaxLen(_LONGEST), IdOf("product")]
OrderId = Annotated[str, MinLen(1), MaxLen(_LONGEST), IdOf("order")]
UserId = Annotated[str, MinLen(1), MaxLen(_LONGEST), IdOf("user")]

_WRAPPERS = str.maketrans(dict.fromkeys("\"'`“”‘’«»[](){}<>【】*\\", " "))
_KEY = r"[A-Za-z0-9][A-Za-z0-9_-]*"
_BARE = re.compile(rf"{_KEY}(?:/{_KEY})?")
"""An id; that of a variant has its product's before it."""
_URL = re.compile(rf"(?<!\S)(?:https?://)?{re.escape(SHOP_URL.partition('://')[2])}/({_KEY})/?(?!\S)", re.IGNORECASE)
_MARK = re.compile(
    rf"(?<!\S)(?:([POWCF]):[ ]?({_KEY}(?:/{_KEY})?)|U:(?:profile|orders|statistics)(@{_KEY})?)(?=[\s,;]|$)",
    re.IGNORECASE,
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
        text = arguments.get(parameter.name)
        if parameter.id_of is not None and isinstance(text, str):
            id_read = _known_id(session, parameter.id_of, text)
            if id_read is not None and id_read != text:
                mended[parameter.name] = id_read
    return {**arguments, **mended}, mended


def explained(
    problem: NotFound, session: Session, parameters: Sequence[Parameter], value: object, path: str
) -> ToolError:
    """The same error, extended by the form that the id must have and by the most similar ids that ``path`` has seen."""
    kind: Named | None = next((parameter.id_of for parameter in parameters if parameter.name == problem.field), None)
    if kind is None or not isinstance(value, str):
        return problem
    ids = _ids_in(kind, value, session.settings.user_id)
    # The words of a title are not ids: every id of a shop has a digit.
    are_ids = len(ids) > 1 and all(any(map(str.isdigit, id_)) for id_ in ids)
    several = f" These are {len(ids)} ids: make one call for each." if are_ids else ""
    nearest = nearest_names(ids[0] if len(ids) == 1 else value, _shown(session, kind, path), 3, likeness=_SLIP)
    hint = f" Did you mean {', '.join(nearest)}?" if nearest else ""
    if kind == "user" and session.settings.user_id is None and _MARK.fullmatch(value.strip(" []")):
        hint = " Nobody asks here, so that U:… names nobody."
    message = f"There is no {kind} {quoted(value)} in this shop: {problem.field} takes {_FORMS[kind]}.{several}{hint}"
    return ToolError("not_found", message, field=problem.field)


def _known_id(session: Session, kind: Named, text: str) -> str | None:
    """The one id of a record in the text: as it is written, or else in capitals or small letters; None if not one.

    A user's id is never looked up in the store: not everyone may know which other users exist.
    """
    user = session.settings.user_id
    is_known = text == user if kind == "user" else bool(_existing(session, kind, [text]))
    if is_known:
        return text
    ids = _ids_in(kind, text, user if kind == "user" else None)
    if len(ids) != 1:
        return None
    (key,) = ids
    if kind == "user":
        return user if user is not None and key.casefold() == user.casefold() else key
    existing = _existing(session, kind, list(dict.fromkeys([key, key.upper(), key.lower()])))
    return key if key in existing else existing[0] if len(existing) == 1 else None


def _existing(session: Session, kind: Named, ids: Sequence[str]) -> list[str]:
    """The ids, of products or of orders, that the shop has."""
    store = session.settings.world.store
    if kind == "product":
        return list(store.products(ids))
    existing: list[str] = []
    for order_id in ids:
        with suppress(NotFound):
            existing.append(store.order(order_id).order_id)
    return existing


def _ids_in(kind: Named, given: str, user: str | None) -> list[str]:
    """The distinct ids of this kind in a text that holds nothing but ids; empty if it holds anything else."""
    plain = given.translate(_WRAPPERS).strip(" \t\r\n,;.#")
    text = _URL.sub(r" P:\1 ", _LABEL.sub(" ", plain))
    marks = [match.groups() for match in _MARK.finditer(text)]
    rest = [part for part in re.split(r"[\s,;]+", _MARK.sub(" ", text)) if part]
    if not all(_BARE.fullmatch(key) for key in rest):
        return []
    if kind == "user":
        marked = [(whose or f"@{user or ''}")[1:] for letter, _, whose in marks if letter is None]
    else:
        marked = [key for letter, key, _ in marks if letter is not None and letter.upper() == _LETTERS[kind]]
    return list({key.casefold(): key for key in (*filter(None, marked), *rest)}.values())


def _shown(session: Session, kind: Named, path: str) -> Iterable[str]:
    """The ids that may be suggested: only those that this run has seen."""
    if kind == "user":
        return [] if session.settings.user_id is None else [session.settings.user_id]
    return [entry.key for entry in session.ledger.known_at(path) if entry.kind == kind]


class OtherUser(ToolError):
    """The data belong to another user: no run may change them, and only a run whose scope is "any" may read them."""

    def __init__(
        self, user_id: str, acting_user_id: str | None, field: str, act: str = "see personal data and orders"
    ) -> None:
        whose = "of nobody" if acting_user_id is None else f"of user {acting_user_id!r} only"
        super().__init__("forbidden", f"This session may {act} {whose}.", field=field)
        self.user_id = user_id


def require_access(session: Session, user_id: str, *, field: str = "user_id") -> None:
    """Raises OtherUser if ``user_id`` is not the session's acting user, unless the session's scope is any user."""
    if session.settings.scope == "own" and user_id != session.settings.user_id:
        raise OtherUser(user_id, session.settings.user_id, field)
