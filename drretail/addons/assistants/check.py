"""``check``: one answer of a shop's assistant, or one report, held against the shop's records."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from drretail.addons.assistants.options import CheckOptions
from drretail.api.models import open_model
from drretail.api.option import accepts
from drretail.api.worlds import world_of
from drretail.env.named_products import NamedProducts
from drretail.errors import ModelError, UserError
from drretail.eval.claims.turns import read_by_judge
from drretail.eval.claims.typed_values import READING, READING_VERSION
from drretail.eval.judging.question import VerdictFile
from drretail.eval.judging.session import Judge, JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.parsing import without_thoughts
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.records.reading import LookedAt, Pick, ReadValue
from drretail.records.run import IMPORTED_AGENT, LOOKED_UP, System, imported_run
from drretail.reports.citations import find_citations
from drretail.reports.picks import take_picks
from drretail.shopping.verify.checks import check_report, read_report
from drretail.viewer.drawing.result import Result, prose

if TYPE_CHECKING:
    from drretail.env.world import World
    from drretail.llm.registry import Model

_NAME = "check"


@dataclass(frozen=True, slots=True)
class Checked:
    """What the shop's records say of one answer."""

    findings: tuple[Finding, ...]
    """What is false or wrong in it, in text order: code, place, words, what the record says, evidence id."""
    values: tuple[ReadValue, ...]
    """What was compared, right and wrong."""
    picks: tuple[Pick, ...] | None
    """What it declares to be bought, in a block of picks; None without one."""
    not_looked_at: tuple[str, ...]
    """The figures about a thing or an order that nothing decided."""
    looked_at: LookedAt
    """How many figures were decided, and how many of the right ones would be found if they were wrong."""

    @property
    def contested(self) -> tuple[ReadValue, ...]:
        """What differs from a record, if no model has confirmed that the answer says so."""
        return tuple(value for value in self.values if value.is_contested)

    @property
    def is_true(self) -> bool | None:
        """False if a record says otherwise, None if something is contested, else True: of what was not looked at,
        nothing is known.
        """
        if any(finding.severity == "error" for finding in self.findings):
            return False
        return None if self.contested else True

    def result(self) -> "Result[Checked]":
        """What is false, one line each. The exit code is 4 if anything is, and 3 if something is contested or
        nothing was looked at.
        """
        false = sum(finding.severity == "error" for finding in self.findings)
        is_seen = bool(self.findings) or any(value.state != "underivable" for value in self.values)
        is_decided = is_seen and not self.contested
        records = {"findings": self.findings, "values": self.values, "picks": self.picks or ()}
        document = {name: [record.model_dump(mode="json") for record in of] for name, of in records.items()}
        document |= {"not_looked_at": self.not_looked_at, "looked_at": self.looked_at._asdict()}
        left = f"Not looked at: {', '.join(self.not_looked_at)}."
        parts = prose(*f"{self}".split("\n"), *([left] if self.not_looked_at else []))
        return Result(self, document, [*parts], left=false or int(not is_decided), code=4 if false else 3)

    def __repr__(self) -> str:
        lines = [
            f"{finding.text!r}: {finding.found} ({finding.code})"
            for finding in self.findings
            if finding.severity == "error"
        ]
        false = len(lines)
        lines += [f"{value.amount!r}: {value.derivation} (contested)" for value in self.contested]
        return "\n".join([f"{false} false; {self.looked_at.in_words}", *lines])


@accepts(CheckOptions)
def check(options: CheckOptions) -> Checked:
    """Holds an answer against the records of a shop, without writing anything; by form, in milliseconds, if the world
    is open already.

    Raises UserError for a world that there is not, and ModelError if the judge gives no usable answer on what is said.
    What it was asked to confirm, and gave no usable answer on, is contested.
    """
    question, answer, world, judge = options.question, options.answer, options.world, options.judge
    if not f"{answer or ''}".strip():
        raise UserError("There is no answer to check.")
    with world_of(world) as shop:
        subject = _subject(question, answer, shop)
        typed = None
        if judge is not None and subject.answers is not None:
            model = open_model(judge) if isinstance(judge, str) else judge
            with TemporaryDirectory() as folder, _session(subject, model, Path(folder)) as session:
                typed, failed = asyncio.run(read_by_judge(subject, subject.answers, session))
            if failed and not typed.spans:
                raise ModelError("unusable", f"{model.spec} gave no usable answer on what is said ({failed})")
        reading = read_report(subject.case, typed)
        findings = check_report(subject.case, reading)
        text = subject.case.report
        left = tuple(text[numeral.start : numeral.end] for numeral in reading.unread)
        return Checked(tuple(findings), reading.values, subject.case.picks, left, reading.looked_at)


def _subject(question: str, answer: str, world: "World") -> Subject:
    """The answer as a run of an imported system, of which nothing but its words is known."""
    declared = take_picks(without_thoughts(answer))
    report = declared.report
    shop = NamedProducts(world)
    evidence = {entry.id: entry for entry in shop.named_by(report, question)}
    citations = tuple(find_citations(report, evidence))
    run = imported_run(_NAME, _NAME, report, picks=declared.picks, outcome=declared.outcome, citations=citations)
    return Subject(
        label=_NAME,
        system=System(agent=IMPORTED_AGENT, models={}, options={LOOKED_UP: True}),
        query=Query(query_id=_NAME, text=question or "-", source="imported"),
        repeat=1,
        run=run,
        evidence=evidence,
        profile=None,
        store=world.store,
    )


@contextmanager
def _session(subject: Subject, model: "Model", folder: Path) -> Generator[JudgeSession]:
    judge = Judge.of(model)
    file = VerdictFile(folder / READING / judge.slug / _NAME / f"{_NAME}.jsonl")
    sha, run_id = subject.report_sha or "", subject.run_id
    with JudgeSession(judge, file, metric=READING, version=READING_VERSION, run_id=run_id, report_sha=sha) as session:
        yield session
