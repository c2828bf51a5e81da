"""What judges say of runs, and the scores that pure code makes of it."""

from typing import Any, Literal

from drretail.records.base import Document, Record
from drretail.records.run import ModelKind

VerdictState = Literal["scored", "na", "unverifiable", "failed"]
Rules = Literal["default", "paper", "drg", "hkuds", "dr3"]
Policy = Literal["scored_only", "failed_as_zero"]
Aggregation = Literal["macro", "micro"]
CODE = "code"
"""The judge of what needs no model."""


class JudgeRef(Record):
    """Who judged: "provider:model", or "code" for checks that need no model."""

    spec: str
    kind: ModelKind
    params_hash: str = ""


class SourceRef(Record):
    """A text that a verdict rests on."""

    id: str
    sha256: str


class Verdict(Document):
    """One judgement; a line of a verdict file. Of lines with one key the last lives."""

    metric: str
    version: int
    rules: Rules = "default"
    stage: str
    item: str
    run_id: str
    report_sha: str
    judge: JudgeRef
    prompt_hash: str
    judge_repeat: int = 1
    attempt: int = 1
    state: VerdictState
    value: Any = None
    reason: str = ""
    quote: str | None = None
    sources: tuple[SourceRef, ...] = ()
    error: str | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """What makes two lines judgements of the same thing by the same judge."""
        judge = f"{self.judge.spec}|{self.judge.params_hash}"
        parts = (self.metric, self.version, self.rules, self.stage, self.item, self.run_id, judge, self.judge_repeat)
        return tuple(str(part) for part in parts)


class Score(Record):
    """One row of scores.json.

    ``n_planned`` = ``n_scored`` + ``n_na`` + ``n_unverifiable`` + ``n_failed``, in reports; counts of items stand in ``items``.
    """

    metric: str
    version: int
    variant: str
    """FP, FP_web, clarity, price_exact …"""
    system: str
    rules: Rules = "default"
    policy: Policy = "scored_only"
    aggregation: Aggregation = "macro"
    value: float | None = None
    """None when nothing could be scored."""
    ci_low: float | None = None
    ci_high: float | None = None
    n_planned: int
    n_scored: int
    n_na: int = 0
    n_unverifiable: int = 0
    n_failed: int = 0
    judge: str
    judge_kind: ModelKind
    prompt_hash: str = ""
    items: dict[str, float] = {}
    """Counts and shares behind the value: claims, pairs, settled without a model …"""
    note: str | None = None
    """"not rated (rule-based)" where a rule-based judge's number would mean nothing."""


class Statement(Record):
    """One thing that a shop's record tells about a user, with the orders it rests on."""

    code: str
    text: str
    orders: tuple[str, ...] = ()


class ProfileSummary(Document):
    """What judges are told of a user; frozen in exp/profiles/<user_id>.json when the experiment opens."""

    user_id: str
    statements: tuple[Statement, ...]

    @property
    def text(self) -> str:
        """All statements, one a line."""
        return "\n".join(f"- {statement.text}" for statement in self.statements)
