"""A request and its response, as proxies and SDKs log them: in two objects of a row, or side by side in one.

Both may be of OpenAI's completions or responses, Anthropic's, Google's or Bedrock's. Of OpenAI's batches, request and
response are rows of two files with one ``custom_id``.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import zip_longest
from typing import Any

from drretail.addons.imports.conversation import Conversation, asked, conversation_of, exchange, object_of, text_of
from drretail.addons.imports.dialects.dialect import Dialect, about
from drretail.addons.imports.material import FileRow

_REQUESTS = ("request", "request_body", "requestBody", "kwargs", "body")
_RESPONSES = ("response", "response_body", "responseBody")
_SIDE_BY_SIDE = ("choices", "output", "candidates", "completion")


def fits(value: Mapping[str, Any]) -> bool:
    if isinstance(value.get("custom_id"), str) and ("body" in value or "response" in value):
        return True
    return bool(asked(_parts(value)[0])) and any(map(value.__contains__, (*_RESPONSES, *_SIDE_BY_SIDE)))


def group(value: Mapping[str, Any]) -> str:
    return text_of(("custom_id",), value)


def read(rows: Sequence[FileRow]) -> Conversation | None:
    value = reduce(lambda held, row: {**held, **row.value}, rows, dict[str, Any]())
    request, response = _parts(value)
    sent, came = _inner(request), _inner(response)
    usage = next((part["usage"] for part in (came, value) if part.get("usage")), None)
    model = text_of(("model",), value, came, sent)
    fields = about(value, sent, ids=("conversation_id", "session_id", "thread_id", "custom_id", "id"))
    return conversation_of(exchange(request, response), usage, model=model, **fields) if asked(request) else None


def parted(rows: Sequence[FileRow]) -> Sequence[Sequence[FileRow]]:
    """Each row with both, and of one ``custom_id`` the first request with the first response: batches repeat ids."""
    whole, requests, responses = list[FileRow](), list[FileRow](), list[FileRow]()
    for row in rows:
        is_request, is_response = (any(map(row.value.get, names)) for names in (_REQUESTS, _RESPONSES))
        (responses if is_response and not is_request else requests if is_request and not is_response else whole).append(
            row
        )
    pairs = ([row for row in pair if row is not None] for pair in zip_longest(requests, responses))
    return [*([row] for row in whole), *pairs]


def _parts(value: Mapping[str, Any]) -> tuple[Any, Any]:
    """The request and the response of a row; the row itself where they stand side by side in it."""
    request = next((value[name] for name in _REQUESTS if value.get(name)), None)
    response = next((value[name] for name in _RESPONSES if value.get(name)), None)
    side = {("output" if name == "completion" else name): value[name] for name in _SIDE_BY_SIDE if name in value}
    return (dict(value) if request is None else request), (side if response is None else response)


def _inner(value: Any) -> dict[str, Any]:
    """The object, without an envelope of HTTP."""
    inner = object_of(value)
    return object_of(inner["body"]) or inner if "body" in inner else inner


DIALECT = Dialect("requests and responses", ("request", "response"), fits, read, group, parted)
