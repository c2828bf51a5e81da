"""An experiment folder as views of its runs: everything that a page shows, read and sorted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from textwrap import shorten
from typing import Any

from pydantic import TypeAdapter

from drretail.eval.claims.rulings import CONTRADICTED
from drretail.eval.judging.subject import Planned, Subject, planned_runs, read_subject
from drretail.eval.method import score_notes
from drretail.eval.numbers.file import outdated, read_scores
from drretail.eval.registry import CONVERSATION, FALSE_STATEMENTS
from drretail.experiments.experiment import Definition, kept_accounts, path_of, read_definition
from drretail.experiments.run_file import journal_path, read_results
from drretail.records.account import Account
from drretail.records.evidence import Finding
from drretail.records.figures import counted
from drretail.records.query import Query
from drretail.records.reading import Statement
from drretail.records.run import Run, Systems, in_order, place_of, shared_models
from drretail.records.score import JudgeRef, Scoreboard, Scores, Verdict
from drretail.reports.text.wording import listed
from drretail.viewer.cart import readers_in_words
from drretail.viewer.judged import (
    ClaimView,
    Judged,
    Judgements,
    claim_views,
    failed_stages,
    read_judgements,
    statement_claims,
    support_counts,
)

OUTCOME = "right"
"""The variant of the metric basket that says whether a run picks what is wanted."""
TURN = "turn"
"""That of the metric of conversations, for their turns."""
LONGEST_TITLE = 90
MOST_NAMED = 4
"""The most systems named in a title."""
_FINDINGS = TypeAdapter(tuple[Finding, ...])


@dataclass(frozen=True, slots=True)
class ClaimsView:
    """The claims of a report with one judge's verdicts."""

    judged: Judged
    claims: tuple[ClaimView, ...]
    failures: tuple[Verdict, ...]
    are_statements: bool = False
    """True if these are the statements of an assistant's answers, beside the shop's records."""


def accounts_of(experiment: Path, scores: Scores | None) -> list[Account]:
    """What became of all that came into the stages that made the experiment; then of reports of which some could not be
    judged as they should.
    """
    judged = () if scores is None else scores.accounts
    return [*kept_accounts(experiment), *(account for account in judged if account.has_failed)]


@dataclass(frozen=True, slots=True)
class Checks:
    """Findings of code in a report. ``made`` is empty if no check was made yet."""

    made: tuple[str, ...]
    findings: tuple[Finding, ...]
    not_made: tuple[Verdict, ...]
    """Checks that do not apply or could not be made, with the reason."""
    read: str = ""
    """How much of the report was read, and who read its picks."""

    @property
    def without_errors(self) -> str:
        """What is said of a report in which they find nothing; the others are listed beside it, with their reasons."""
        account = Account("checks", "check", len(self.made) + len(self.not_made), len(self.made))
        account.leave_out("see below", count=len(self.not_made))
        return account.praise("no error was found")


@dataclass(frozen=True)
class RunView:
    """One planned run with everything that is recorded about it."""

    number: int
    experiment: Path
    """The folder of its experiment."""
    subject: Subject
    state: str
    """done, failed, interrupted, or not run."""
    claims: tuple[ClaimsView, ...]
    """By judge; the report shows the first judge's marks."""
    ratings: tuple[Judged, ...]
    checks: Checks
    stale: int
    false: tuple[Finding, ...] = ()
    """What is false in the report, by code and by the first judge, each statement once."""
    is_answer: bool = False
    """True for answers of a shop's assistant, which cite no records and fill no cart."""
    read: tuple[Statement, ...] = ()
    """What code or a judge read in an assistant's answers, true and false."""
    contested: tuple[Statement, ...] = ()
    """What differs from a record, if nobody has confirmed that the answer says so."""
    unread: tuple[tuple[int, int], ...] = ()
    """Places of figures in an assistant's answers that no record decides."""
    false_by: JudgeRef | None = None
    """Who judged which statements are false."""
    failed: str = ""
    """Why the first judge failed on its claims, or on what is false; empty if it did not."""
    shown: Mapping[str, Sequence[str | None]] = field(default_factory=dict[str, Sequence[str | None]])
    """By evidence id, the address of the shop's page, and its picture's, of what such an answer names."""
    is_right: float | None = None
    """What code measures of its picks: 1 if they are right; None without gold."""
    why_not_right: str = ""
    """What the cart holds and lacks, in words; empty if it was not measured."""
    parts: Mapping[str, Verdict] = field(default_factory=dict[str, Verdict])
    """What the metric of conversations says of a turn, by variant; empty for a question, and if it was not scored."""

    @property
    def run(self) -> Run | None:
        return self.subject.run

    @property
    def anchor(self) -> str:
        return f"r{self.number}"

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Results of steps, by hash; they are large, and read when they are shown."""
        if self.run is None or (self.run.is_unreadable):
            return {}
        return read_results(path_of(self.experiment, self.run))

    def claim_of(self, statement: Finding) -> ClaimView | None:
        """The claim of the first judge, or of code in an assistant's answer; None for what else code finds."""
        claims = self.claims[0].claims if self.claims and (self.is_answer or statement.code == CONTRADICTED) else ()
        place = statement.start, statement.end
        return next((claim for claim in claims if claim.text == statement.text and place in (claim.span, place)), None)


@dataclass(frozen=True, slots=True)
class Runs:
    """The planned runs of an experiment, each read when it is accessed: thousands do not fit into memory."""

    experiment: Path
    definition: Definition
    planned: Sequence[Planned]
    board: Scoreboard | None = None

    def __len__(self) -> int:
        return len(self.planned)

    def __iter__(self) -> Iterator[RunView]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, place: int) -> RunView:
        subject = read_subject(self.experiment, self.definition, self.planned[place], None)
        number = place + 1
        run, path = subject.run, self.planned[place].path_in(self.experiment)
        if run is None:
            state = "interrupted" if journal_path(path).exists() else "not run"
            return RunView(number, self.experiment, subject, state, (), (), Checks((), (), ()), 0)
        shown = ("faithfulness", "quality", "checks", FALSE_STATEMENTS, CONVERSATION if subject.is_turn else "basket")
        faithfulness, quality, checks, false, bought = (
            read_judgements(self.experiment, metric, run) for metric in shown
        )
        claims = tuple(
            ClaimsView(
                judged,
                tuple(claim_views(judged, run.report or "")),
                tuple(failed_stages(judged)),
            )
            for judged in faithfulness.by_judge
        )
        statements, by, value, failed = _false(false, claims)
        measured = {verdict.item: verdict for judged in bought.by_judge for verdict in judged.verdicts}
        picks = measured.get(TURN if subject.is_turn else OUTCOME)
        read = tuple(Statement(**fields) for fields in value.get("read", ()))
        is_answer = subject.system.is_of_shop or (
            self.board is not None
            and self.board.are_answers
            and place_of(subject.label, self.definition.systems) == "system"
        )
        cites = any(claim.sources for first in claims[:1] for claim in first.claims)
        if by is not None and "read" in value and (not claims or claims[0].judged.judge.kind == "rule_based"):
            # Rules judge an assistant's answers by this reading alone.
            own = tuple(statement_claims(read, run.report or "", by))
            claims = (ClaimsView(by, own, (), are_statements=True), *claims[1:])
        elif claims and claims[0].judged.judge.kind == "rule_based" and is_answer and not cites:
            claims = (replace(claims[0], claims=()), *claims[1:])
        return RunView(
            number=number,
            experiment=self.experiment,
            subject=subject,
            state=run.status,
            claims=claims,
            ratings=quality.by_judge,
            checks=_checks(checks.by_judge),
            false=statements,
            is_answer=is_answer,
            read=read,
            contested=tuple(Statement(**fields) for fields in value.get("contested", ())),
            unread=tuple((start, end) for start, end in value.get("unread", ())),
            false_by=None if by is None else by.judge,
            failed=next((each.error or each.reason for view in claims[:1] for each in view.failures), failed),
            shown=value.get("shown", {}),
            stale=faithfulness.stale + quality.stale + checks.stale,
            is_right=None if picks is None or picks.state != "scored" else picks.value,
            why_not_right="" if picks is None else picks.reason or "",
            parts=measured if subject.is_turn else {},
        )


@dataclass(frozen=True, slots=True)
class QueryRuns:
    """One query with the indices of its runs among all runs."""

    number: int
    query: Query
    places: tuple[int, ...]

    @property
    def anchor(self) -> str:
        return f"q{self.number}"


@dataclass(frozen=True, slots=True)
class ExperimentView:
    folder: Path
    definition: Definition
    planned: tuple[Planned, ...]
    """Every planned run: systems, floors, the ceiling; for each by repeat and query."""
    runs: Runs
    """The same runs with everything that is recorded about them, each read when it is accessed."""
    scores: Scores
    """The content of scores.json; without rows if there is none yet."""
    is_scored: bool
    """True if there is a scores.json."""
    lab: tuple[str, ...] = ()
    """The judge lab's findings, one a line."""
    outdated: str = ""
    """What has changed since the scores were made; empty if they are up to date."""

    @property
    def name(self) -> str:
        """The folder's name, as commands use it."""
        return self.folder.resolve().name

    @property
    def is_of_shop(self) -> bool:
        """True if all systems that research are assistants, whose answers are compared with a shop's records."""
        return self.definition.is_of_shop or (self.scores.scoreboard is not None and self.scores.scoreboard.are_answers)

    @property
    def title(self) -> str:
        """The title that the experiment was given, or one made from its queries and systems."""
        if self.is_of_shop and not self.definition.title:
            return f"{counted(len(self.planned), 'answer')} beside your shop's records"
        if self.definition.title:
            return self.definition.title
        two = two_of(self.scores.scoreboard, self.definition.systems)
        names = _researching(self.definition)
        return " against ".join(names[label] for label in two) if len(names) == 2 else title_of(self.definition)

    @property
    def questions(self) -> list[QueryRuns]:
        """The queries in their order, without those that no system is asked."""
        places: dict[str, list[int]] = {query.query_id: [] for query in self.definition.queries}
        for place, planned in enumerate(self.planned):
            places[planned.query.query_id].append(place)
        queries = [(query, tuple(places[query.query_id])) for query in self.definition.queries]
        return [
            QueryRuns(number, query, at)
            for number, (query, at) in enumerate([query for query in queries if query[1]], 1)
        ]


def title_of(definition: Definition) -> str:
    """A title for an experiment without one: "50 questions answered by react and hybrid_react"."""
    systems, queries = definition.systems, definition.queries
    names = [*_researching(definition).values()] or [*systems]
    if len(names) > MOST_NAMED:
        names = [counted(len(names), "system")]
    subject = counted(len(queries), "turn" if any(query.after for query in queries) else "question")
    if len(queries) == 1:
        subject = f"“{shorten(queries[0].text, LONGEST_TITLE, placeholder=' …')}”"
    return f"{subject} answered by {listed(names) if names else 'nobody'}"


def two_of(board: Scoreboard | None, systems: Systems) -> tuple[str, ...]:
    """The labels of the systems to show first: the first two of the board, or of their labels without one."""
    ranked = [] if board is None else [row.system for row in board.rows]
    labels = dict.fromkeys((*ranked, *in_order(systems, systems)))
    return tuple([label for label in labels if place_of(label, systems) == "system"][:2])


def _researching(definition: Definition) -> dict[str, str]:
    """The names of the systems that research, without the model that all share."""
    systems = definition.systems
    shared = shared_models(in_order(systems, systems), systems)
    labels = (label for label in in_order(systems, systems) if place_of(label, systems) == "system")
    return {label: label.replace(shared, "", 1) if shared else label for label in labels}


def read_view(experiment: Path, scores: Scores | None = None) -> ExperimentView:
    """The view of an experiment folder, with systems in the order of tables. Raises UserError without one.

    ``scores`` are the folder's if they are at hand: they are then neither read nor compared with all of its runs.
    """
    definition = read_definition(experiment)
    place = {label: at for at, label in enumerate(in_order(definition.systems, definition.systems))}
    planned = tuple(sorted(planned_runs(experiment, definition), key=lambda plan: place[plan.label]))
    is_known, scores = scores is not None, scores or read_scores(experiment)
    shown = scores or Scores(scores=(), judgings=())
    if shown.scoreboard is not None and shown.scoreboard.are_answers:
        # Floors are of research.
        planned = tuple(run for run in planned if place_of(run.label, definition.systems) == "system")
    return ExperimentView(
        folder=experiment,
        definition=definition,
        planned=planned,
        runs=Runs(experiment, definition, planned, shown.scoreboard),
        scores=shown,
        is_scored=scores is not None,
        outdated="" if is_known else outdated(experiment, shown),
        lab=tuple(score_notes(experiment)),
    )


def _checks(by_judge: Sequence[Judged]) -> Checks:
    """All checks of a run, with their findings in the order of the report, those without a place last."""
    verdicts = [verdict for judged in by_judge for verdict in judged.stage("check")]
    scored = [verdict for verdict in verdicts if verdict.state == "scored"]
    findings = [finding for verdict in scored for finding in _FINDINGS.validate_python(verdict.value or ())]
    findings.sort(key=lambda finding: (finding.start is None, finding.start or 0, finding.code, finding.text))
    return Checks(
        made=tuple(sorted(verdict.item for verdict in scored)),
        findings=tuple(findings),
        not_made=tuple(sorted((v for v in verdicts if v.state != "scored"), key=lambda verdict: verdict.item)),
        read=readers_in_words(next((v.reason for judged in by_judge for v in judged.stage("read")), "")),
    )


def _false(
    judgements: Judgements, claims: Sequence[ClaimsView]
) -> tuple[tuple[Finding, ...], Judged | None, dict[str, Any], str]:
    """The false statements by the first judge; if they were not scored, the claims that are shown and that a judge
    calls contradicted, with a quote of a source. Then who scored them, all that the verdict holds, and why the judge
    failed, if it did.
    """
    for judged in judgements.by_judge:
        for verdict in judged.verdicts:
            if verdict.value is not None:  # of a judge that failed, what code found
                failed = verdict.reason if verdict.state == "failed" else ""
                return _FINDINGS.validate_python(verdict.value["statements"]), judged, verdict.value, failed
    wrong = (claim for view in claims[:1] for claim in view.claims if claim.support == CONTRADICTED)
    quoted = ((claim, claim.verdict.quote) for claim in wrong if claim.verdict is not None and claim.verdict.quote)
    return tuple(Finding(code=CONTRADICTED, severity="error", text=c.text, found=q) for c, q in quoted), None, {}, ""


def claim_anchor(view: RunView, judge: int, claim: ClaimView) -> str:
    """The anchor of a claim with the verdict of the judge with this index."""
    return f"{view.anchor}-{f'j{judge + 1}-' if judge else ''}c{claim.number}"


def finding_anchor(view: RunView, number: int) -> str:
    return f"{view.anchor}-f{number}"


def statement_anchor(view: RunView, statement: Finding) -> str:
    """The anchor of a false statement: its claim's card, the card of code's finding, or the run."""
    if (claim := view.claim_of(statement)) is not None:
        return claim_anchor(view, 0, claim)
    numbered = enumerate(view.checks.findings, 1)
    number = next(
        (number for number, other in numbered if (other.code, other.start) == (statement.code, statement.start)), 0
    )
    return finding_anchor(view, number) if number else view.anchor


def step_anchor(view: RunView, place: int) -> str:
    return f"{view.anchor}-s{place + 1}"


def evidence_anchors(view: RunView) -> dict[str, str]:
    """By id, anchors of the sources that the report cites, or that a verdict or a finding rests on."""
    used = {citation.evidence_id for citation in view.run.citations} if view.run else set[str | None]()
    used |= {source.id for view_of in view.claims for v in view_of.judged.stage("support") for source in v.sources}
    used |= {finding.evidence_id for finding in view.checks.findings}
    return {key: f"{view.anchor}-e{number}" for number, key in enumerate(view.subject.sources, 1) if key in used}


def summary_of(view: ExperimentView) -> dict[str, Any]:
    """Runs with their claims and findings, and the scores as they are recorded."""
    runs: list[dict[str, Any]] = []
    for run in view.runs:
        error = run.run.error if run.run else None
        picks = run.run.picks if run.run else None
        runs.append(
            {
                "run_id": run.subject.run_id,
                "state": run.state,
                "error": error and error.model_dump(mode="json"),
                "query": run.subject.query.text,
                "claims": [_claims(claims) for claims in run.claims],
                "findings": [finding.model_dump(mode="json", exclude_none=True) for finding in run.checks.findings],
                "checks_made": list(run.checks.made),
                "read": run.checks.read,
                "picks": None if picks is None else [pick.model_dump(mode="json") for pick in picks],
                "stale_verdicts": run.stale,
            }
        )
    return {
        "experiment": view.name,
        "world_fingerprint": view.definition.world_fingerprint,
        "systems": sorted(view.definition.systems),
        "runs": runs,
        "scores_outdated": view.outdated or None,
        "scoreboard": view.scores.scoreboard and view.scores.scoreboard.model_dump(mode="json", exclude_none=True),
        "scores": None
        if not view.is_scored
        else [s.model_dump(mode="json", exclude_none=True) for s in view.scores.scores],
    }


def _claims(view: ClaimsView) -> dict[str, Any]:
    return {
        "judge": view.judged.judge.model_dump(mode="json"),
        "rules": view.judged.rules,
        "counts": support_counts(view.claims),
        "claims": [
            {
                "number": claim.number,
                "claim": claim.text,
                "support": claim.support,
                "types": list(claim.types),
                "span": None if claim.span is None else list(claim.span),
            }
            for claim in view.claims
        ],
    }
