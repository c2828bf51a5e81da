"""The last verdicts on a run, by judge."""

from dataclasses import dataclass
from pathlib import Path

from drretail.eval.registry import load_metric
from drretail.eval.verdicts import VerdictFile, verdict_path
from drretail.records.run import Run
from drretail.records.score import JudgeRef, Rules, Verdict

_KINDS = ("llm", "scripted", "rule_based")


@dataclass(frozen=True, slots=True)
class Judged:
    """What one judge said of one run in one metric under one set of rules."""

    judge: JudgeRef
    rules: Rules
    verdicts: tuple[Verdict, ...]

    def stage(self, name: str) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.stage == name]

    @property
    def by(self) -> str:
        """The judge's name as a reader sees it."""
        rules = "" if self.rules == "default" else f" under the rules of {self.rules}"
        return f"{self.judge.spec}{rules}"


@dataclass(frozen=True, slots=True)
class Judgements:
    """Everything on one run in one metric: language models first, then by name; the default rules first."""

    by_judge: tuple[Judged, ...]
    stale: int
    """Verdicts about another report than the one that stands there now, or in other words: counted and unused."""


def read_judgements(experiment: Path, metric: str, run: Run) -> Judgements:
    """The last verdict of every key on this very report, asked in today's words; an empty one where nobody judged."""
    name = f"{run.query_id}-r{run.repeat}"
    folders = sorted((experiment / "verdicts" / metric).glob("*/"))
    paths = [verdict_path(experiment, metric, folder.name, run.system, name) for folder in folders]
    lasts = [verdict for path in paths if path.exists() for verdict in VerdictFile(path).lasts()]
    groups: dict[tuple[str, str, Rules], list[Verdict]] = {}
    for verdict in lasts:
        if _lives(verdict, run):
            judge = verdict.judge
            groups.setdefault((judge.spec, judge.params_hash, verdict.rules), []).append(verdict)
    judged = [Judged(verdicts[0].judge, rules, tuple(verdicts)) for (_, _, rules), verdicts in groups.items()]
    judged.sort(key=_order)
    return Judgements(tuple(judged), stale=len(lasts) - sum(len(one.verdicts) for one in judged))


def _lives(verdict: Verdict, run: Run) -> bool:
    """True where the scores count it too."""
    metric = load_metric(verdict.metric)
    return (
        verdict.report_sha == run.report_sha
        and verdict.prompt_hash in metric.prompt_hashes()
        and verdict.version == metric.version
    )


def _order(judged: Judged) -> tuple[int, str, str, bool, str]:
    judge = judged.judge
    return _KINDS.index(judge.kind), judge.spec, judge.params_hash, judged.rules != "default", judged.rules
