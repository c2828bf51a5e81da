"""Judges' verdicts on two answers to one query, dimension by dimension, with their reasons."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from drretail.eval.judge_prompts import in_all_wordings
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.eval.judging.pairs import BETWEEN, Labels, pair_name
from drretail.eval.judging.verdicts import VerdictFile, verdict_path
from drretail.eval.registry import PAIRWISE, pair_family
from drretail.records.score import JudgeRef, Rules, Verdict

Choice = Literal["a", "b", "tie", "na", "failed", "one order"]


@dataclass(frozen=True, slots=True)
class DimensionJudgement:
    """One dimension of one meeting; ``verdicts`` are those of both orders, and of every time that was asked."""

    dimension: str
    choice: Choice
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class PairJudgement:
    """One judge on two systems' answers to one query."""

    labels: Labels
    repeat: int
    judge: JudgeRef
    rules: Rules
    dimensions: tuple[DimensionJudgement, ...]


def pairs_with_verdicts(experiment: Path) -> dict[str, list[Labels]]:
    """By judge's folder the pairs that it has verdicts of."""
    found: dict[str, list[Labels]] = defaultdict(list)
    for folder in sorted((experiment / "verdicts" / PAIRWISE).glob(f"*/*{BETWEEN}*/")):
        a, _, b = folder.name.partition(BETWEEN)
        found[folder.parent.name].append((a, b))
    return dict(found)


def read_pair_judgements(
    experiment: Path,
    pairs: Mapping[str, Sequence[Labels]],
    query_id: str,
    repeat: int,
    reports: Mapping[str, str | None],
) -> Iterator[PairJudgement]:
    """Every pair's living verdicts on one query; ``reports`` holds the sha256 of each system's report on it.

    A judge that follows rules has no opinion of two reports and is left out.
    """
    for judge, labels_of_judge in pairs.items():
        for labels in labels_of_judge:
            path = verdict_path(experiment, PAIRWISE, judge, pair_name(labels), f"{query_id}-r{repeat}")
            verdicts = VerdictFile(path).lasts()
            shas = tuple(reports.get(label) for label in labels)
            groups: dict[tuple[str, str, Rules], list[Verdict]] = defaultdict(list)
            for one in [verdict for verdict in verdicts if _lives(experiment, verdict, shas)]:
                groups[one.judge.spec, one.judge.params_hash, one.rules].append(one)
            for (_, _, rules), verdicts_ in sorted(groups.items()):
                by_item: dict[str, list[Verdict]] = defaultdict(list)
                for one in verdicts_:
                    by_item[one.item].append(one)
                dimensions = [_dimension(name, by_item[name], rules) for name in DIMENSIONS if name in by_item]
                yield PairJudgement(labels, repeat, verdicts_[0].judge, rules, tuple(dimensions))


def _lives(experiment: Path, verdict: Verdict, shas: tuple[str | None, ...]) -> bool:
    """True for a verdict about these very reports, in today's words."""
    if verdict.judge.kind == "rule_based" or None in shas or verdict.version != pair_family().version:
        return False
    if (verdict.report_sha, verdict.other_report_sha) != shas:
        return False
    prompts = in_all_wordings(experiment, lambda: pair_family().hashes(verdict.rules).get(verdict.item, frozenset()))
    return verdict.prompt_hash in prompts


def _dimension(name: str, verdicts: Sequence[Verdict], rules: Rules) -> DimensionJudgement:
    ordered = sorted(verdicts, key=lambda each: (each.judge_repeat, each.order or ""))
    # Who was preferred; judged several times, whom every time prefers, else a tie
    times: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in ordered:
        times[verdict.judge_repeat].append(verdict)
    choices: list[Choice] = list(dict.fromkeys(_once(answers, rules) for answers in times.values()))
    return DimensionJudgement(name, choices[0] if len(choices) == 1 else "tie", tuple(ordered))


def _once(answers: Sequence[Verdict], rules: Rules) -> Choice:
    """Whom both orders prefer, else a tie; the paper's rules ask in one order alone."""
    states = {verdict.state for verdict in answers}
    if "failed" in states:
        return "failed"
    if states == {"na"}:
        return "na"
    if rules != "paper" and len({verdict.order for verdict in answers}) < 2:
        return "one order"
    winners = {str(verdict.value) for verdict in answers}
    return "a" if winners == {"a"} else "b" if winners == {"b"} else "tie"
