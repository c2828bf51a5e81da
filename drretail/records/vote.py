"""What people said of two reports side by side; a line of exp/votes/<annotator>.jsonl."""

from typing import Literal

from pydantic import AwareDatetime

from drretail.records.base import Document

Choice = Literal["a", "b", "tie"]


class Vote(Document):
    """One person's choice between two reports on one dimension; the last about one pair and dimension holds."""

    pair_id: str
    query_id: str
    a: str
    """The systems' labels."""
    b: str
    shown_left: Literal["a", "b"]
    dimension: str
    choice: Choice
    annotator: str
    at: AwareDatetime
    note: str | None = None
    replaces: str | None = None
