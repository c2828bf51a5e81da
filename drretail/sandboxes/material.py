"""What a task of a sandbox is made of, before its pages are placed in sizes: every way of building gives this."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from drretail.env.web.sandbox import SandboxPage
from drretail.env.web.sealed import Label
from drretail.records.base import Document, Record
from drretail.records.criteria import Criteria, Gold
from drretail.records.query import Query

KeywordKind = Literal["signal", "noise"]


class Keyword(Record):
    """Words that a search engine is asked for."""

    text: str
    kind: KeywordKind
    """Signal: on the way to the answer. Noise: of the same theme, and beside the question."""
    why: str = ""


class Keywords(Document):
    """keywords.json of a task (003, stage 2): first many facets of it, then each sorted."""

    divergent: tuple[str, ...] = ()
    """As they first came, before they were sorted and made ten."""
    convergent: tuple[Keyword, ...]
    needs: tuple[str, ...] = ()
    """What only the web can settle, each as a question; empty where pages were made up."""
    made_by: str = "offline"


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page, what it is there for, and why."""

    page: SandboxPage
    label: Label
    kind: str = ""
    """Of a distractor: outdated, one-sided, inaccurate, look-alike …; of a made-up page, what it is."""
    keyword: str = ""
    """The search that found it."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class TaskMaterial:
    """All of one task."""

    query: Query
    keywords: Keywords
    supportive: tuple[LabelledPage, ...]
    distractors: tuple[LabelledPage, ...]
    noise: Iterable[LabelledPage]
    """As many as there are; no more are taken than the largest size has room for."""
    files: Mapping[str, bytes]
    """The user's files by name."""
    gold: Gold
    criteria: tuple[Criteria, ...] = field(default=())
    """The checklist and the depth rubric, where they were made: families of ``eval.dr3``."""
