"""The two base classes of all records, the one canonical form of JSON, the ids that a shop may have, file names made
from texts that come from elsewhere, and words that several records share.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Literal, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

FORMAT = 1
Rules = Literal["default", "paper", "hkuds", "dr3"]
"""Whose rules something is scored by: drretail's own, or a publication's."""
ModelKind = Literal["llm", "rule_based", "scripted"]
NoInterval = Literal["few", "alike"]
"""Why a value has no interval: it has fewer than five users, or is the same for every user, or on every query."""
# How json ends a float that is a whole number.
_WHOLE_FLOAT = re.compile(r"\.0(?=[,\]}]|\Z)")
_SMALL_FLOATS = (re.compile(r"0\.0000\d"), re.compile(r"e-(?<=\de-)\d"))
"""What orjson writes in another way than json. Two patterns that begin with characters, for which re looks first: an
alternation, or a class in front, is tried at every character of the text and takes as long as all else of a record.
"""

SAFE_ID = "[A-Za-z0-9_#@-][A-Za-z0-9_#@.:+=~-]{0,127}"
"""The pattern of an id, in terms that all engines' regular expressions share. Amazon's ids are capitals and digits;
other shops have "#W2378156", "sara_doe_496", or e-mail addresses.
"""
ID_RULE = "1 to 128 of A-Z, a-z, 0-9 and _#@.:+=~-, of which .:+=~ do not come first"
NO_ID = ("nan", "null", "none", "undefined")
"""What programs write where an id is missing, in any case. As a user's id it would make one shopper of many."""
_SAFE_ID = re.compile(SAFE_ID)
_LONGEST_NAME = 200
"""Bytes. With an ending and the mark of an unfinished file, a name stays within the 255 that are allowed."""


class Record(BaseModel):
    """A frozen value; unknown fields are an error, so that a typo is never silently dropped."""

    # The schema of a record is built when one is first made: a command uses few of the hundreds.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Document(Record):
    """A record that stands alone in a file or on a line of one, and so names its format."""

    format: Literal[1] = FORMAT

    def as_line(self) -> str:
        """One line of JSON without absent fields, for JSONL files."""
        return canonical_json(self.model_dump(mode="json", exclude_none=True))


@cache
def _fields_of(record: type[Record]) -> set[str]:
    return set(record.model_fields)


R = TypeVar("R", bound=Record)


def lean(record: R) -> R:
    """The record, as if all of its fields had been given. Pydantic keeps a set of these for each record, a fifth of
    what a product takes; those of one class share theirs, for records that are kept by the thousand.
    """
    object.__setattr__(record, "__pydantic_fields_set__", _fields_of(type(record)))
    return record


class Estimated(Record):
    """A number over queries with its 95% interval over users."""

    ci_low: float | None = None
    """Lower end of the interval; ``ci_high`` is its upper end."""
    ci_high: float | None = None
    no_interval: NoInterval | None = None
    """Why there is no interval."""
    n_users: int | None = None
    """Users of the queries with a value. None if no user is known: then each query counts as a user."""


class OfJudge(Record):
    """What one judge found under one set of rules. Numbers of two judges, or of two sets, are not comparable."""

    judge: str
    """"provider:model", or "code"."""
    judge_kind: ModelKind
    """Whether it is a language model. Nothing is concluded from a rule-based judge."""
    judge_params: str = ""
    """Tells two judges of one "provider:model" apart."""
    rules: Rules = "default"
    """Whose rules: drretail's (default), or a publication's."""

    @property
    def by_whom(self) -> tuple[str, str, str]:
        """Equal for what can be compared: judge, its settings, rules."""
        return self.judge, self.judge_params, self.rules


def tuples(value: Any) -> Any:
    """The value with tuples for its lists, which every validator that runs before the fields' own has to return.

    Behind such a validator JSON is a Python value, and strict validation takes no list for a tuple: a model's answer
    that fits its schema would be refused.
    """
    if isinstance(value, dict):
        return {name: tuples(item) for name, item in value.items()}
    return tuple(map(tuples, value)) if isinstance(value, list | tuple) else value


def fault_of(problem: ValidationError) -> str:
    """The first thing that is wrong, with its value: "picks.0.quantity is -1: it should be greater than …"."""
    error = problem.errors(include_url=False)[0]
    place = ".".join(map(str, error["loc"])) or problem.title
    if error["type"] == "missing":
        return f"{place} is missing"
    if error["type"] == "extra_forbidden":
        return f"{place} is unknown"
    return f"{place} is {error['input']!r:.60}: {error['msg'].replace('Input should', 'it should')}"


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces, in which 25.0 is written as 25.

    Raises ValueError for NaN and infinities, which JSON does not have.
    """
    fast = _by_orjson(value)
    if fast is not None and "null" not in fast:  # which may be orjson's NaN
        return fast
    text = _dumped(value)
    # Normalising a conversation costs more than writing it, and most hold no whole floats.
    # Tools' results are JSON within a string there, and stay as they are.
    has_whole_floats = any(not _is_in_a_string(text, match.start()) for match in _WHOLE_FLOAT.finditer(text))
    return _dumped(normalised(value)) if has_whole_floats else text


def record_json(values: dict[str, Any]) -> str:
    """The canonical JSON of a record's fields, none of which is NaN: an eighth of the time also where one is None."""
    return _by_orjson(values) or canonical_json(values)


def _by_orjson(value: Any) -> str | None:
    """None where json writes it in another way."""
    with suppress(TypeError):  # orjson takes no number of more than 64 bits and no half of a surrogate pair
        text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_SUBCLASS).decode()
        if not any(pattern.search(text) for pattern in (_WHOLE_FLOAT, *_SMALL_FLOATS)):
            return text
    return None


def json_object(texts: Mapping[str, str]) -> str:
    """The canonical JSON of an object, from that of its values."""
    return "{" + ",".join(f"{_dumped(name)}:{texts[name]}" for name in sorted(texts)) + "}"


def sha256_of(value: Any) -> str:
    """The hex sha256 of a text, or of a value's canonical JSON."""
    text = value if isinstance(value, str) else canonical_json(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_dumped = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def _is_in_a_string(text: str, end: int) -> bool:
    """True if what ends in ``end`` follows an escaped quote and a colon, as no number of the JSON itself does."""
    colon = end - 1
    while colon >= 0 and text[colon] in "-0123456789":
        colon -= 1
    quote = colon - 1
    if quote < 0 or text[colon] != ":" or text[quote] != '"':
        return False
    slashes = quote - 1
    while slashes >= 0 and text[slashes] == "\\":
        slashes -= 1
    return (quote - 1 - slashes) % 2 == 1


def normalised(value: Any) -> Any:
    """The value with its whole floats as integers."""
    if isinstance(value, dict):
        return {key: normalised(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [normalised(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def is_safe_id(text: str) -> bool:
    """True if an id is the same on every engine, in every file and in every file's name."""
    return _SAFE_ID.fullmatch(text) is not None


def file_name(text: str) -> str:
    """A distinct name of a file or folder for every text: the text itself if it can be one.

    Raw rows and records from elsewhere may say "../../x". If a text can't be a name, its readable part is kept, with a
    hash.
    """
    is_name = text.isprintable() and text and text[0] not in ".~" and "/" not in text and "\\" not in text
    if is_name and len(text.encode("utf-8")) <= _LONGEST_NAME:
        return text
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", text)[:40].strip("-")
    return f"~{readable}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
