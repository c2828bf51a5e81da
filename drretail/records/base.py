"""The two base classes of all records, and the one canonical form of JSON."""

import hashlib
import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

FORMAT = 1


class Record(BaseModel):
    """A frozen value; unknown fields are an error, so that a typo is never silently dropped."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Document(Record):
    """A record that stands alone in a file or on a line of one, and so names its format."""

    format: Literal[1] = FORMAT

    def as_line(self) -> str:
        """One line of JSON without absent fields, for JSONL files."""
        return canonical_json(self.model_dump(mode="json", exclude_none=True))


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces, where 25.0 and 25 are the same number.

    Raises ValueError for NaN and infinities, which JSON does not have.
    """
    return json.dumps(_normalised(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def sha256_of(value: Any) -> str:
    """The hex sha256 of a text, or of a value's canonical JSON."""
    text = value if isinstance(value, str) else canonical_json(value)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _normalised(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _normalised(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_normalised(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value
