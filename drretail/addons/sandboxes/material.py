"""The parts of a task before its pages are placed in sizes; every way of building produces them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from drretail.env.web.sandbox import SandboxPage
from drretail.env.web.sealed import Label
from drretail.records.base import Document, Record
from drretail.records.criteria import Criteria, KnownAnswer
from drretail.records.query import Query

KeywordKind = Literal["signal", "noise"]


class Keyword(Record):
    """A search, as a search engine gets it."""

    text: str
    kind: KeywordKind
    """Signal: leads to the answer. Noise: has the same theme but does not concern the question."""
    why: str = ""


class Keywords(Document):
    """keywords.json of a task (DR³-Eval, stage 2): first many keywords, then ten of them, each sorted."""

    divergent: tuple[str, ...] = ()
    """All keywords as first proposed, before ten of them were chosen and sorted."""
    convergent: tuple[Keyword, ...]
    needs: tuple[str, ...] = ()
    """What only the web can settle, each as a question; empty if the pages are made up."""
    made_by: str = "offline"


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page with its label and the reason for it."""

    page: SandboxPage
    label: Label
    kind: str = ""
    """Of a distractor: outdated, one-sided, inaccurate, look-alike …. Of a made-up supportive page: its fact's kind."""
    keyword: str = ""
    """The search that found it."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class TaskMaterial:
    """All parts of one task."""

    query: Query
    keywords: Keywords
    supportive: tuple[LabelledPage, ...]
    distractors: tuple[LabelledPage, ...]
    noise: Iterable[LabelledPage]
    """All that there is; only as many are taken as the largest size has room for."""
    files: Mapping[str, bytes]
    """The user's files by name."""
    gold: KnownAnswer
    criteria: tuple[Criteria, ...] = field(default=())
    """The checklist and the depth rubric of the metric dr3, if they were made."""
