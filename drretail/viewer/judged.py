"""The last verdicts on a run, by judge."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from drretail.eval.family import Family
from drretail.eval.judge_prompts import in_all_wordings
from drretail.eval.judging.subject import Subject
from drretail.eval.judging.verdicts import judges_in
from drretail.eval.registry import installed
from drretail.eval.scores.gathering import verdicts_by_assessor
from drretail.eval.scores.panel import is_panel, name_of
from drretail.records.run import Run
from drretail.records.score import JudgeRef, Judging, Rules, Scores, Verdict
from drretail.tables.figures import counted

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
    """Everything on one run in one metric: language models first, then by name; the default rules first."""

    by_judge: tuple[Judged, ...]
    stale: int
    """Verdicts about another report than the one that stands there now, or in other words: counted and unused."""


def read_judgements(experiment: Path, metric: str, run: Run) -> Judgements:
    """The last verdict of every key on this very report, asked in today's words; an empty one where nobody judged."""
    name = f"{run.query_id}-r{run.repeat}"
    groups = verdicts_by_assessor(experiment, metric, judges_in(experiment, metric), run.system, name)
    family = installed(metric)
    prompts = frozenset[str]() if family is None else in_all_wordings(experiment, family.prompt_hashes)
    living = {
        assessor: tuple(verdict for verdict in lasts if _lives(verdict, run, family, prompts))
        for assessor, lasts in groups.items()
    }
    judged = [Judged(judge, rules, verdicts) for (judge, rules), verdicts in living.items() if verdicts]
    judged.sort(key=_order)
    stale = sum(map(len, groups.values())) - sum(map(len, living.values()))
    return Judgements(tuple(judged), stale)


def _lives(verdict: Verdict, run: Run, family: Family | None, prompts: frozenset[str]) -> bool:
    """True where the scores count it too, as far as can be told without its family."""
    if verdict.report_sha != run.report_sha:
        return False
    return family is None or (verdict.prompt_hash in prompts and verdict.version == family.version)


def _order(judged: Judged) -> tuple[int, str, str, bool, str]:
    judge = judged.judge
    return _KINDS.index(judge.kind), judge.spec, judge.params_hash, judged.rules != "default", judged.rules


_Place = tuple[str, str, str, str, str]
"""Metric, system, rules, judge and its settings."""


def outdated(experiment: Path, scores: Scores, subjects: Iterable[Subject]) -> str:
    """What has changed since the scores were made, in words; empty where they still hold."""
    judgings = [judging for judging in scores.judgings if not is_panel(judging.judge)]  # its members are compared
    scored = {_place(judging): judging for judging in judgings}
    metrics = sorted({judging.metric for judging in judgings})
    runs, living, silent = Counter[str](), Counter[_Place](), Counter[_Place]()
    for subject in subjects:
        runs[subject.label] += 1
        if subject.run is None or subject.report is None:
            continue
        counts = Counter[_Place]()
        for metric in metrics:
            for one in read_judgements(experiment, metric, subject.run).by_judge:
                counts[metric, subject.label, one.rules, one.judge.spec, one.judge.params_hash] += len(one.verdicts)
        living += counts
        silent.update(place for place in scored if place[1] == subject.label and place not in counts)
    return "; ".join(_changes(scores, scored, runs, living, silent))


def _changes(
    scores: Scores,
    scored: Mapping[_Place, Judging],
    runs: Counter[str],
    living: Counter[_Place],
    silent: Counter[_Place],
) -> Iterator[str]:
    """Planned runs by system, verdicts that count, and reports without any, as they are now beside the scores."""
    planned = {score.system: score.n_planned for score in scores.scores}
    for system in sorted(system for system, count in planned.items() if count != runs[system]):
        yield f"{system} had {counted(planned[system], 'planned run')} and has {runs[system]:,}"
    if not scores.judgings:  # they do not say what they were made of
        return
    for place in sorted({*living, *scored}):
        metric, system, rules, judge, _ = place
        judging = f"{metric} of {system} by {judge}{'' if rules == 'default' else f' under the rules of {rules}'}"
        judging_ = scored.get(place)
        if judging_ is None:
            yield f"{judging} is not among them"
        elif judging_.verdicts != living[place]:
            made_of = counted(judging_.verdicts, "verdict")
            yield f"{judging} was made of {made_of}, and {living[place]:,} are about today's reports"
        elif judging_.not_judged != silent[place]:
            yield f"{judging} lacked {counted(judging_.not_judged, 'report')}, and now lacks {silent[place]:,}"


def _place(judging: Judging) -> _Place:
    return judging.metric, judging.system, judging.rules, judging.judge, judging.judge_params
