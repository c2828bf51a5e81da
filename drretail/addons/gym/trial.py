"""``try_agent``: one agent on one query, what code finds wrong in its report, and its reward."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

from drretail.addons.gym.env import Shop
from drretail.addons.gym.options import TryOptions
from drretail.addons.gym.reward import Reward
from drretail.agents.running.run import ask_once
from drretail.api.models import Opener
from drretail.api.option import accepts
from drretail.api.options.observer import SILENT
from drretail.api.recorded import RecordedAnswer
from drretail.api.run import note_understood, one_system
from drretail.api.settings import read_settings
from drretail.api.systems import asked_queries, runner_of
from drretail.api.worlds import check_askable, web_of, world_of
from drretail.errors import UserError, check_known
from drretail.querygen.reading import FIFTY, GENERIC, MARKET, shipped_queries
from drretail.records.base import file_name
from drretail.records.evidence import Finding
from drretail.shopping.verify.checks import Case, check_report, read_report
from drretail.viewer.drawing.result import Result, prose
from drretail.viewer.drawing.table import table_of
from drretail.viewer.judged import words_of_code


def _line(finding: Finding) -> str:
    """A finding in one line, with what the records say."""
    record = f" (found: {finding.found})" if finding.found else ""
    return f"{finding.severity}: {words_of_code(finding.code)}: {' '.join(finding.text.split())}{record}"


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of an agent on a query."""

    answer: RecordedAnswer
    reward: Reward
    """``why`` says why it is 0, also where the query has none."""
    findings: Sequence[Finding]
    """What records and sources deny, and what the report lacks."""

    @property
    def parts(self) -> dict[str, float | str]:
        """The reward and its parts as a person reads them, "n/a" for what was not looked at: a cart that is worth
        nothing ends the reading, and so does a false statement.
        """
        parts: dict[str, float | str] = self.reward.model_dump()
        lacks = ("integrity", "verified") if not self.reward.worth else ("verified",) * (not self.reward.integrity)
        return parts | dict.fromkeys(lacks, "n/a")

    def result(self) -> "Result[Trial]":
        """The report, what is wrong in it, and the reward."""
        answer = self.answer.result()
        reward = table_of("Reward", ["part", "value"], [*self.parts.items()]).filled
        parts = [*answer.parts, *prose(*map(_line, self.findings)), reward]
        return Result(self, self.document, parts, notes=answer.notes, left=answer.left)

    @property
    def document(self) -> dict[str, Any]:
        """The run's id, status and steps, with findings and reward, for ``--json``."""
        run = self.answer.run
        return {
            "run": run.run_id,
            "experiment": str(self.answer.experiment),
            "status": run.status,
            "error": None if run.error is None else run.error.message,
            "steps": [f"{step.path} {step.name}" for step in run.steps],
            "findings": [finding.model_dump(mode="json", exclude_none=True) for finding in self.findings],
            "reward": self.reward.model_dump(),
        }


@accepts(TryOptions)
def try_agent(options: TryOptions) -> Trial:
    """Runs an agent on one query, in a new experiment in ``to``.

    The agent gets the task alone. Raises UserError for a wrong name, world or query. A run that fails is recorded.
    """
    observer = options.observer or SILENT
    settings = read_settings(web=options.web if isinstance(options.web, str) else None)
    opener = Opener(settings, options.base_url, tell=observer.waiting)
    with world_of(options.world, web_of(options.world, options.web, settings)) as world:
        queries = asked_queries(options.queries or shipped_queries(*FIFTY, *MARKET, GENERIC), None, world)
        by_id = {query.query_id: query for query in queries}
        check_known("query", by_id, options.query)
        query = by_id[options.query]
        check_askable(world, [query])
        system = one_system(options, options.agent, options.model, query.task, world, opener, observer)
        runner = runner_of(world, settings, str(world.folder or world.servers), files=options.files)
        trials = Path(options.to) / file_name(system.system.agent) / query.query_id
        numbers = [int(trial.name) for trial in trials.glob("*") if trial.name.isdecimal()]
        folder = trials / str(max(numbers, default=0) + 1)
        try:
            with observer.answer(runner):
                recorded = ask_once(runner, system, query.task, folder)
            note_understood(recorded.run, observer)
        except BaseException:  # such as Ctrl-C: a trial that did not end is none
            rmtree(folder, ignore_errors=True)
            raise
        try:
            reward = Shop.open(world, [query]).reward(recorded)
        except UserError as problem:
            reward = Reward(why=str(problem))
        run, answer = recorded.run, RecordedAnswer(recorded.run, recorded.evidence, folder)
        if run.report is None:
            return Trial(answer, reward, ())
        evidence = {entry.id: entry for entry in recorded.evidence}
        case = Case(report=run.report, evidence=evidence, query=query, picks=run.picks, run=run, shop=world.store)
        return Trial(answer, reward, check_report(case, read_report(case)))
