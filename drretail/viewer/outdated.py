"""Whether scores.json still tells of the runs and verdicts that stand in the folder."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from drretail.eval.panel import names_panel
from drretail.eval.subject import Subject
from drretail.records.score import Judging, Scores
from drretail.viewer.judged import Judgements, read_judgements

_Place = tuple[str, str, str, str, str]
"""Metric, system, rules, judge and its settings."""


def outdated(experiment: Path, scores: Scores, subjects: Sequence[Subject]) -> str:
    """What has changed since the scores were made, in words; empty where they still hold."""
    return "; ".join(_changes(experiment, scores, subjects))


def _changes(experiment: Path, scores: Scores, subjects: Sequence[Subject]) -> Iterator[str]:
    labels = [subject.label for subject in subjects]
    planned = {score.system: score.n_planned for score in scores.scores}
    for system in sorted(system for system, count in planned.items() if count != labels.count(system)):
        yield f"{system} had {planned[system]:,} planned runs and has {labels.count(system):,}"
    if not scores.judgings:  # they do not say what they were made of
        return
    heard = [judging for judging in scores.judgings if not names_panel(judging.judge)]  # its members are compared
    scored = {_place(judging): judging for judging in heard}
    living, silent = _counted(experiment, sorted({judging.metric for judging in heard}), subjects, scored)
    for place in sorted({*living, *scored}):
        metric, system, rules, judge, _ = place
        said = f"{metric} of {system} by {judge}{'' if rules == 'default' else f' under the rules of {rules}'}"
        held = scored.get(place)
        if held is None:
            yield f"{said} is not among them"
        elif held.verdicts != living.get(place, 0):
            count = living.get(place, 0)
            yield f"{said} was made of {held.verdicts:,} verdicts, and {count:,} are about today's reports"
        elif held.not_judged != silent[place]:
            yield f"{said} lacked {held.not_judged:,} reports, and now lacks {silent[place]:,}"


def _counted(
    experiment: Path, metrics: Sequence[str], subjects: Sequence[Subject], scored: dict[_Place, Judging]
) -> tuple[dict[_Place, int], dict[_Place, int]]:
    """Verdicts that count, and for every scored place the reports without any."""
    living: dict[_Place, int] = {}
    silent = dict.fromkeys(scored, 0)
    for metric in metrics:
        for subject in subjects:
            if subject.run is None or subject.report is None:
                continue
            heard = _heard(metric, subject, read_judgements(experiment, metric, subject.run))
            for place, count in heard.items():
                living[place] = living.get(place, 0) + count
            for place in silent:
                silent[place] += place[:2] == (metric, subject.label) and place not in heard
    return living, silent


def _heard(metric: str, subject: Subject, judgements: Judgements) -> dict[_Place, int]:
    return {
        (metric, subject.label, one.rules, one.judge.spec, one.judge.params_hash): len(one.verdicts)
        for one in judgements.by_judge
    }


def _place(judging: Judging) -> _Place:
    return judging.metric, judging.system, judging.rules, judging.judge, judging.judge_params
