"""``verify``: whether an experiment's folder holds what its journals and verdicts give.

Kept files are compared with their hashes, runs with replays of their journals, and scores with scores made again.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple, get_args

from drretail import __version__
from drretail.addons.reproduction.options import VerifyOptions
from drretail.agents.names import is_built_in
from drretail.agents.registry import NO_OVERRIDES, load_agent, read_overrides
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, files_hash, prompt_hashes
from drretail.api.option import accepts
from drretail.api.options.shared import folder_of
from drretail.api.settings import read_settings
from drretail.api.systems import recorded_models, runner_of
from drretail.api.worlds import chosen_web, recorded_world
from drretail.env.web.sandbox import SealedWeb
from drretail.errors import UserError
from drretail.eval.judging.question import judged_in
from drretail.eval.judging.subject import Planned, planned_runs
from drretail.eval.numbers.file import derive_scores, read_scores
from drretail.eval.numbers.judges import Assessor, TableKey
from drretail.eval.registry import PAIRWISE, recorded_metric
from drretail.event_loop import run_loop
from drretail.experiments.experiment import (
    GOLD,
    SEALS,
    Definition,
    Experiment,
    hash_of,
    kept_hashes,
    prompts_path,
    read_definition,
    run_at,
    run_files,
)
from drretail.experiments.run_file import read_evidence, read_members, read_results, read_run
from drretail.parsing import parse_json
from drretail.progress import Bar
from drretail.records.account import Account
from drretail.records.base import Document, Record, sha256_of
from drretail.records.figures import counted
from drretail.records.query import Query, turns_until
from drretail.records.run import FILES, SANDBOX
from drretail.records.score import Scores
from drretail.tools.registry import tool_schema_hash
from drretail.viewer.drawing.progress import choose_progress
from drretail.viewer.drawing.result import Prose, Result
from drretail.viewer.drawing.table import table_of

Name = Literal["hashes", "runs", "scores"]
State = Literal["equal", "differs", "not there", "not compared"]
AT_ONCE = 4
"""Runs replayed at the same time."""
MOST_SHOWN = 20
"""The most differences of a check that are printed; ``--json`` prints all."""
_TABLE = attrgetter("metric", "system", "rules", "judge", "judge_params")
IMPORTED = "imported reports have no journal"
NO_WORLD = "its world is not at hand: name it with --world"
NOT_THERE = "experiment.json names it, and it is not there: drretail run makes it"


class Check(Record):
    """What one check found in one state."""

    check: Name
    """ "hashes" of kept files, "runs" replayed from their journals, or "scores" made again."""
    state: State
    """ "not compared" where nothing can be made again here, such as imported reports."""
    count: int
    """How many files, runs or tables of scores are in this state."""
    what: tuple[str, ...] = ()
    """What differs, one text for each; else the reason of the state, if it needs one."""


class Verification(Document):
    """What was found equal, different, not there or beyond comparing."""

    experiment: str
    """The folder."""
    checks: tuple[Check, ...]
    """In the order in which they are made; each check once for every state and reason."""

    @property
    def differences(self) -> tuple[str, ...]:
        """All that differs."""
        return tuple(what for check in self.checks if check.state == "differs" for what in check.what)

    @property
    def passes(self) -> bool:
        """True if nothing differs. What is not there, or can't be compared, is no difference."""
        return not self.differences

    @property
    def account(self) -> Account:
        """What was compared, and why the rest was not."""
        account = Account("verify", "part")
        for check in self.checks:
            account.take(check.count)
            if check.state in ("equal", "differs"):
                account.use(check.count)
            else:
                is_gone = check.state == "not there"
                reason, first = (NOT_THERE, check.what[0]) if is_gone else (check.what[0], "")
                account.leave_out(reason, first, check.count, failed=is_gone)
        return account

    def result(self) -> Result["Verification"]:
        """One table, and a sentence on what it says."""
        rows: list[Sequence[object]] = []
        for check in self.checks:
            first, *others = [*check.what[:MOST_SHOWN]] or [""]
            others += [f"and {len(check.what) - MOST_SHOWN:,} more: --json names all"] * (len(check.what) > MOST_SHOWN)
            rows += [(check.check, check.state, check.count, first), *(("", "", None, what) for what in others)]
        table = table_of("", ("check", "state", "count", "what differs, or why it is not compared"), rows)
        praise = self.account.praise("nothing differs", bare=True)
        sentence = praise if self.passes else f"{counted(len(self.differences), 'difference')}."
        document = self.model_dump(mode="json") | {"passes": self.passes}
        missing = sum(check.count for check in self.checks if check.state == "not there")
        return Result(self, document, [table, Prose(sentence)], left=len(self.differences) + missing)


class _Finding(NamedTuple):
    """One file, run or table of scores that was looked at."""

    check: Name
    state: State
    what: str = ""


@accepts(VerifyOptions)
def verify(options: VerifyOptions) -> Verification:
    """Compares hashes, replays runs from their journals and makes scores again. Nothing is sent or written there.

    ``.passes`` is True if nothing differs; ``.checks`` says what was equal, differs, is not there or can't be
    compared. Raises UserError for a folder without an experiment, and for a ``world`` that is not the runs' own.
    """
    folder = folder_of(options.experiment)
    definition = read_definition(folder)
    findings = [*hash_findings(folder, definition), *run_findings(folder, definition, options), score_finding(folder)]
    checks: list[Check] = []
    for name, state in product(get_args(Name), get_args(State)):
        differences = Counter(finding.what for finding in findings if (finding.check, finding.state) == (name, state))
        if state in ("differs", "not there") and differences:
            checks.append(Check(check=name, state=state, count=differences.total(), what=tuple(differences)))
        elif differences:
            reasons = ((count, (why,) if why else ()) for why, count in differences.items())
            checks += [Check(check=name, state=state, count=count, what=what) for count, what in reasons]
    return Verification(experiment=str(folder), checks=tuple(checks))


def hash_findings(folder: Path, definition: Definition) -> Iterator[_Finding]:
    """Each file that the folder keeps a hash of, and each run's report and results."""
    sums = kept_hashes(folder)
    if not (folder / SEALS).exists():
        yield _Finding("hashes", "differs", f"{SEALS} is not here: it has the hashes of experiment.json and gold")
    elif unsealed := [name for name in ("experiment.json", GOLD) if name not in sums and (folder / name).exists()]:
        # A later command began the file anew once it had been removed.
        yield from (_Finding("hashes", "differs", f"{name}: {SEALS} has no hash of it") for name in unsealed)
    for name, kept in sums.items():
        if not (folder / name).exists():
            # Gold is taken out of folders that are passed on.
            yield _Finding(
                "hashes", *(("not compared", f"{name} is not here") if name == GOLD else ("not there", name))
            )
        else:
            yield _hashed(hash_of(folder / name) == kept, f"{name}: it was changed after it was written")
    for planned in _planned(folder, definition):
        path = planned.path_in(folder)
        try:
            run, _, results = run_at(folder, path), read_evidence(path), read_results(path)
        except UserError as problem:
            yield _Finding("hashes", "differs", _here(folder, problem))
            continue
        is_whole = {
            "report": run.report is None or sha256_of(run.report) == run.report_sha,
            "results": all(step.result_sha is None or step.result_sha in results for step in run.steps),
        }
        for name, is_same in is_whole.items():
            yield _hashed(is_same, f"{path.relative_to(folder)}: a text of its {name} is not the one of its hash")


def _hashed(is_same: bool, what: str) -> _Finding:
    return _Finding("hashes", "equal") if is_same else _Finding("hashes", "differs", what)


def run_findings(folder: Path, definition: Definition, options: VerifyOptions) -> Iterator[_Finding]:
    """Each planned run beside its replay."""
    runs, systems = _planned(folder, definition), definition.systems
    reasons, run_ids = (
        {label: _no_replay(definition, label) for label in systems},
        {run.run_id for run in runs},
    )
    every = planned_runs(folder, definition)
    for planned in every:
        if planned.run_id not in run_ids:
            yield _Finding("runs", "not there", planned.run_id)
    for path in sorted({*run_files(folder)} - {planned.path_in(folder) for planned in every}):
        yield _Finding("runs", "differs", f"{path.relative_to(folder)}: experiment.json asks for no such run")
    yield from (_Finding("runs", "not compared", reason) for planned in runs if (reason := reasons[planned.label]))
    open_runs = [planned for planned in runs if not reasons[planned.label]]
    if not open_runs:
        return
    live = {system.web_provider for run in open_runs if (system := systems[run.label]).web_is_live}
    web = options.web or (live.pop() if len(live) == 1 else SANDBOX)
    opened_web = chosen_web(read_settings(web=web), replayed=True)
    with recorded_world(folder, options.world, web=opened_web) as world:
        if world is None:
            yield from (_Finding("runs", "not compared", NO_WORLD) for _ in open_runs)
        else:
            runner = replace(runner_of(world, read_settings(), "", folder, files=options.files), outages=None)
            with choose_progress().track("Replaying runs", len(open_runs)) as bar:
                yield from run_loop(_replayed(folder, definition, open_runs, runner, bar))


def _planned(folder: Path, definition: Definition) -> list[Planned]:
    return [run for run in planned_runs(folder, definition) if run.path_in(folder).exists()]


def _no_replay(definition: Definition, label: str) -> str:
    """Why a system's runs are not replayed, whatever the world; blank if they may be."""
    system = definition.systems[label]
    if system.is_imported:
        return IMPORTED
    if not is_built_in(system):
        return f"the agent {system.agent} is not one of the package's"
    if system.conditions:
        return "they ran under a condition of the user's own"
    if definition.tool_schema_hash not in (None, tool_schema_hash()):
        return "their tools are not those of this version"
    made_by = definition.versions.get("drretail", "a version that it does not name")
    return "" if made_by == __version__ else f"they were made by drretail {made_by}"


async def _replayed(
    folder: Path, definition: Definition, planned: Sequence[Planned], runner: Runner, bar: Bar
) -> list[_Finding]:
    """These runs, each beside the run that its journal gives, which is made in a folder of its own."""
    systems: dict[str, SystemUnderTest | _Finding] = {}
    for label in {run.label for run in planned}:
        try:
            systems[label] = rebuilt(folder, definition, label, runner)
        except UserError as problem:
            systems[label] = _Finding("runs", "not compared", str(problem).rstrip("."))
    gate = asyncio.Semaphore(AT_ONCE)
    scratch = TemporaryDirectory(prefix="drretail-verify-")
    with scratch as place, Experiment(Path(place) / "exp", definition) as copy:

        async def finding_of(run: Planned) -> _Finding:
            sut = systems[run.label]
            async with gate:
                finding = (
                    sut
                    if isinstance(sut, _Finding)
                    else await _replay(folder, copy, runner, run, sut, definition.queries)
                )
            bar.advance()
            return finding

        return [*await asyncio.gather(*map(finding_of, planned))]


async def _replay(
    folder: Path, copy: Experiment, runner: Runner, planned: Planned, sut: SystemUnderTest, queries: Sequence[Query]
) -> _Finding:
    """A run beside its replay in the folder ``copy``."""
    recorded, path = planned.path_in(folder), planned.path_in(copy.folder)
    if sut.agent.sees_reference and _lacks_gold(folder):
        return _Finding("runs", "not compared", f"{planned.label} was told what stands in {GOLD}, which is not here")
    try:
        earlier = turns_until(queries).get(planned.query.query_id, ())[:-1]
        await runner.run_into(copy, sut, planned.query, planned.repeat, earlier=earlier)
        before, now = ((read_members(path, "run")["run"], read_evidence(path)) for path in (recorded, path))
        if before == now:
            return _Finding("runs", "equal")
        if sut.agent.sees_reference:
            return _Finding("runs", "not compared", f"{planned.label} was told other gold than {GOLD} holds now")
        if read_run(recorded).unanswered_calls:
            return _Finding("runs", "not compared", "a server failed calls of theirs, and may answer now")
        fields = differing(*(parse_json(run[0]) for run, _ in (before, now)))
    except UserError as problem:
        return _Finding("runs", "differs", _here(folder, problem))
    wrong = [*fields, *(["evidence"] if before[1] != now[1] else [])]
    what = ", ".join(wrong) or "layout"
    return _Finding("runs", "differs", f"{recorded.relative_to(folder)}: its journal gives another {what}")


def rebuilt(experiment: Path, definition: Definition, label: str, runner: Runner) -> SystemUnderTest:
    """The system of that label, with models that never send anything. Raises UserError if it can't be built here."""
    system = definition.systems[label]
    agent, overrides = load_agent(system.agent), NO_OVERRIDES
    if system.prompts is not None:
        folder = prompts_path(experiment, label, system.prompts.name)
        overrides = replace(read_overrides(folder, [agent]), name=system.prompts.name)
    options, world, files = dict(system.options), runner.world, runner.files
    if FILES in options and isinstance(world.web, SealedWeb):  # the sandbox brings the files itself
        del options[FILES]
    elif FILES in options and (files is None or files_hash(files) != options[FILES]):
        raise UserError(f"{label} read files of the user's: name their folder with --files")
    models = recorded_models(experiment, label, system)
    settings: dict[str, Any] = {"web_mode": system.web_mode, "limits": system.limits, "scope": system.sees}
    sut = SystemUnderTest.of(system.agent, agent, models, world, overrides, options=options, **settings)
    wrong = [name for name, value in system if getattr(sut.system, name) != value and name != "scope"]
    if {"web_corpus", "web_provider"} & {*wrong}:
        raise UserError(f"the web of {label} is not at hand: name it with --web")
    if wrong:
        raise UserError(f"this version builds {label} with another {wrong[0].removesuffix('s')}")
    if prompt_hashes(sut) != definition.prompt_hashes.get(label, {}):
        raise UserError(f"the prompts of {label} are not those of this version")
    return replace(sut, label=label, system=system)


def score_finding(folder: Path) -> _Finding:
    """scores.json beside what runs and verdicts give."""
    try:
        recorded = read_scores(folder)
        if recorded is None or recorded.made_of is None:
            return _Finding("scores", "not compared", "drretail score makes them")
        names = sorted({row.metric for row in recorded.scores} | {*judged_in(folder)} - {PAIRWISE})
        metrics = {name: metric for name in names if (metric := recorded_metric(folder, name)) is not None}
        if recorded.made_of.version != __version__:
            return _Finding("scores", "not compared", f"they were made by drretail {recorded.made_of.version}")
        if _lacks_gold(folder):
            return _Finding("scores", "not compared", f"they rest on {GOLD}, which is not here")
        if missing := [name for name in names if name not in metrics]:
            return _Finding("scores", "not compared", f"the metric {missing[0]} is not installed")
        # A judge that was asked has rows for all systems, another only for those of which it has verdicts.
        judged = {_TABLE(row) for row in recorded.judgings if row.verdicts or row.stale}
        rows = [row for row in recorded.scores if _TABLE(row) not in judged]
        asked = {TableKey(row.metric, Assessor.of(row)) for row in rows}
        pairs = sorted({(Assessor.of(row), (row.a, row.b)) for row in recorded.pairs}, key=str)
        derived = derive_scores(folder, [*metrics.values()], asked, pairs)
    except UserError as problem:
        return _Finding("scores", "differs", _here(folder, problem))
    wrong = differing(_compared(recorded), _compared(derived))
    changes = "" if derived.made_of is None else recorded.made_of.changes(derived.made_of)
    why = f" ({changes}: drretail score makes them again)" if changes else ""
    what = f"scores.json: runs and verdicts give other {', '.join(wrong)}{why}"
    return _Finding("scores", "differs", what) if wrong else _Finding("scores", "equal")


def _compared(scores: Scores) -> dict[str, Any]:
    """What runs and verdicts alone decide, without what add-ons say beside judges."""
    values = scores.model_dump(mode="json", exclude_none=True, exclude={"made_of"})
    board: dict[str, Any] = values.get("scoreboard", {})
    board.pop("notes", None)
    for described in values["metrics"].values():
        described.pop("judges", None)
    return values


def _lacks_gold(folder: Path) -> bool:
    """True if the experiment had gold, and its file has been taken out."""
    return GOLD in kept_hashes(folder) and not (folder / GOLD).exists()


def differing(recorded: Mapping[str, object], derived: Mapping[str, object]) -> list[str]:
    """The names under which two documents have different values."""
    return [name for name in {**recorded, **derived} if recorded.get(name) != derived.get(name)]


def _here(folder: Path, problem: UserError) -> str:
    """What is wrong, with files named by their places in the folder."""
    return str(problem).replace(f"{folder}/", "").rstrip(".")
