"""What a dialect is, and the fields that name who asked when."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, TypeVar

from drretail.addons.imports.conversation import Conversation, object_of, text_of
from drretail.addons.imports.material import FileRow
from drretail.data_ingest.raw.values import Moment, moment_of

T = TypeVar("T")
USERS = ("user_id", "userId", "user", "customer_id", "customer", "end_user", "enduser.id", "langgraph_auth_user_id")
TIMES = (
    *("time", "timestamp", "created_at", "createdAt", "created", "date", "start_time", "startTime"),
    "startTimeUnixNano",
)
IDS = (
    *("query_id", "conversation_id", "conversationId", "thread_id", "session_id", "sessionId", "trace_id", "traceId"),
    *("custom_id", "id"),
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """One form of logs."""

    name: str
    """As a message calls it."""
    keys: tuple[str, ...]
    """The fields by which people know it, for a message on rows that no dialect fits."""
    fits: Callable[[Mapping[str, Any]], bool]
    """Whether an object of a file is a row of it."""
    read: Callable[[Sequence[FileRow]], Conversation | None]
    """The conversation in the rows of one group; None if they hold no messages."""
    group: Callable[[Mapping[str, Any]], str] = lambda value: ""
    """What the rows of one conversation share; "" for a row that is a conversation by itself."""
    parted: Callable[[Sequence[FileRow]], Sequence[Sequence[FileRow]]] = lambda rows: [rows]
    """The rows of a group by conversation, if what they share is not unique."""
    merges: Callable[[Mapping[str, Any]], bool] = lambda value: True
    """Whether a row of a group that says the same as another is that row again."""


def longest(values: Iterable[T], messages_of: Callable[[T], list[Any]]) -> tuple[T, list[Any]]:
    """The value with the most messages, the first of equals, and these: one row often holds those of all others."""
    return max(((value, messages_of(value)) for value in values), key=lambda pair: len(pair[1]))


def about(*values: Any, ids: Sequence[str] = IDS) -> dict[str, str]:
    """Who asked when in which conversation, by the first of these objects that says so."""
    inner = [object_of(value.get(key)) for value in values if isinstance(value, dict) for key in ("metadata", "extra")]
    everywhere = (*values, *inner)
    id_names = [name for name in ids if name != "id"]  # in metadata "id" may be anything's
    return {
        "id": text_of(id_names, *everywhere) or text_of(ids, *values),
        "user": text_of(USERS, *everywhere),
        "time": text_of(TIMES, *everywhere),
        "agent": text_of(("agent", "assistant"), *everywhere),
    }


def moment_in(text: str) -> Moment | None:
    """A time of ISO form, or of seconds down to nanoseconds, in milliseconds, which put times in order, with its zone;
    None if it cannot be read.
    """
    whole = text.partition(".")[0]
    return moment_of(whole[:13] if whole.isdecimal() else text)


def time_of(text: str) -> str | None:
    """A time that ``moment_in`` reads, in ISO form with its own zone, which keeps the day that the log wrote."""
    moment = moment_in(text)
    if moment is None:
        return None
    zone = timezone(timedelta(minutes=moment[1]))
    return datetime.fromtimestamp(moment[0] / 1000, zone).isoformat()
