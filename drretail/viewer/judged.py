"""The last verdicts on a run by judge, and on two answers to one query by dimension, with their reasons."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from drretail.eval.judge_prompts import in_all_wordings
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.eval.judging.pairs import BETWEEN, Labels, pair_name
from drretail.eval.judging.verdicts import judges_in
from drretail.eval.metric import Metric
from drretail.eval.registry import PAIRWISE, installed, pair_metric
from drretail.eval.scores.gathering import verdicts_by_assessor
from drretail.eval.scores.panel import name_of
from drretail.records.run import Run
from drretail.records.score import JudgeRef, Rules, Verdict

_KINDS = ("llm", "scripted", "rule_based")


@dataclass(frozen=True, slots=True)
class Judged:
    """One judge's verdicts on one run in one metric under one set of rules."""

    judge: JudgeRef
    rules: Rules
    verdicts: tuple[Verdict, ...]

    def stage(self, name: str) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.stage == name]

    @property
    def by(self) -> str:
        """The judge's name as a reader sees it."""
        rules = "" if self.rules == "default" else f" under the rules of {self.rules}"
        return f"{name_of(self.judge)}{rules}"


@dataclass(frozen=True, slots=True)
class Judgements:
    """All verdicts on one run in one metric: language models first, then by name; the default rules first."""

    by_judge: tuple[Judged, ...]
    stale: int
    """The number of unused verdicts: they are about an earlier report, or were asked with other prompts."""


def read_judgements(experiment: Path, metric: str, run: Run) -> Judgements:
    """The last verdict of every key on this report by current prompts; without any if nobody judged it."""
    name = f"{run.query_id}-r{run.repeat}"
    groups = verdicts_by_assessor(experiment, metric, judges_in(experiment, metric), run.system, name)
    loaded = installed(metric)
    prompts = frozenset[str]() if loaded is None else in_all_wordings(experiment, loaded.prompt_hashes)
    living = {
        assessor: tuple(verdict for verdict in lasts if _lives(verdict, run, loaded, prompts))
        for assessor, lasts in groups.items()
    }
    judged = [Judged(judge, rules, verdicts) for (judge, rules), verdicts in living.items() if verdicts]
    judged.sort(
        key=lambda one: (
            _KINDS.index(one.judge.kind),
            one.judge.spec,
            one.judge.params_hash,
            one.rules != "default",
            one.rules,
        )
    )
    stale = sum(map(len, groups.values())) - sum(map(len, living.values()))
    return Judgements(tuple(judged), stale)


def _lives(verdict: Verdict, run: Run, metric: Metric | None, prompts: frozenset[str]) -> bool:
    """True if the scores count the verdict, too, as far as this can be known if its metric is not installed."""
    if verdict.report_sha != run.report_sha:
        return False
    return metric is None or (verdict.prompt_hash in prompts and verdict.version == metric.version)


Choice = Literal["a", "b", "tie", "na", "failed", "one order"]


@dataclass(frozen=True, slots=True)
class DimensionJudgement:
    """One dimension of one comparison; ``verdicts`` are those of both orders and of every repeat of the judge."""

    dimension: str
    choice: Choice
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class PairJudgement:
    """One judge's verdicts on two systems' answers to one query."""

    labels: Labels
    repeat: int
    judge: JudgeRef
    rules: Rules
    dimensions: tuple[DimensionJudgement, ...]


def pairs_with_verdicts(experiment: Path) -> dict[str, list[Labels]]:
    """The pairs that each judge has verdicts on, by the judge's folder."""
    pairs: dict[str, list[Labels]] = defaultdict(list)
    for folder in sorted((experiment / "verdicts" / PAIRWISE).glob(f"*/*{BETWEEN}*/")):
        a, _, b = folder.name.partition(BETWEEN)
        pairs[folder.parent.name].append((a, b))
    return dict(pairs)


def read_pair_judgements(
    experiment: Path,
    pairs: Mapping[str, Sequence[Labels]],
    query_id: str,
    repeat: int,
    reports: Mapping[str, str | None],
) -> Iterator[PairJudgement]:
    """Every pair's current verdicts on one query; ``reports`` holds the sha256 of each system's report on it.

    Rule-based judges are left out, since they have no opinion on two reports.
    """
    for judge, labels_of_judge in pairs.items():
        for labels in labels_of_judge:
            shas = tuple(reports.get(label) for label in labels)
            groups = verdicts_by_assessor(experiment, PAIRWISE, [judge], pair_name(labels), f"{query_id}-r{repeat}")
            for assessor in sorted(groups, key=lambda each: each.order):
                by_item: dict[str, list[Verdict]] = defaultdict(list)
                for verdict in groups[assessor]:
                    if _pair_lives(experiment, verdict, shas):
                        by_item[verdict.item].append(verdict)
                judged = (_dimension(name, by_item[name], assessor.rules) for name in DIMENSIONS if name in by_item)
                if by_item:
                    yield PairJudgement(labels, repeat, *assessor, tuple(judged))


def _pair_lives(experiment: Path, verdict: Verdict, shas: tuple[str | None, ...]) -> bool:
    """True for a verdict on exactly these reports by current prompts."""
    if verdict.judge.kind == "rule_based" or None in shas or verdict.version != pair_metric().version:
        return False
    if (verdict.report_sha, verdict.other_report_sha) != shas:
        return False
    prompts = in_all_wordings(experiment, lambda: pair_metric().hashes(verdict.rules).get(verdict.item, frozenset()))
    return verdict.prompt_hash in prompts


def _dimension(name: str, verdicts: Sequence[Verdict], rules: Rules) -> DimensionJudgement:
    ordered = sorted(verdicts, key=lambda each: (each.judge_repeat, each.order or ""))
    # The preferred system; after several repeats, the one that every repeat prefers, or a tie
    times: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in ordered:
        times[verdict.judge_repeat].append(verdict)
    choices: list[Choice] = list(dict.fromkeys(_once(answers, rules) for answers in times.values()))
    return DimensionJudgement(name, choices[0] if len(choices) == 1 else "tie", tuple(ordered))


def _once(answers: Sequence[Verdict], rules: Rules) -> Choice:
    """The system preferred in both orders, or a tie. The paper's rules ask in one order only."""
    states = {verdict.state for verdict in answers}
    if "failed" in states:
        return "failed"
    if states == {"na"}:
        return "na"
    if rules != "paper" and len({verdict.order for verdict in answers}) < 2:
        return "one order"
    winners = {str(verdict.value) for verdict in answers}
    return "a" if winners == {"a"} else "b" if winners == {"b"} else "tie"
