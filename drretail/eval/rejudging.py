"""Verdicts made again, by code and by judges from their journals, and scores made again of runs and verdicts."""

import shutil
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import product, repeat
from pathlib import Path
from typing import Any

from drretail.env.store.base import Store
from drretail.errors import UserError
from drretail.eval.check_results import Checklist
from drretail.eval.claims.claims import SUPPORT_LIVE
from drretail.eval.judging.pairs import pair_id
from drretail.eval.judging.session import Again, Judge
from drretail.eval.judging.sources import live_journal
from drretail.eval.judging.spending import Allowance
from drretail.eval.judging.verdicts import VerdictFile
from drretail.eval.registry import PAIRWISE, installed
from drretail.eval.scores.file import derive_scores, read_scores
from drretail.eval.scores.gathering import Assessor, TableKey
from drretail.eval.scoring import score
from drretail.experiment import read_runs
from drretail.files import read_jsonl
from drretail.journal import read_effects
from drretail.llm.prices import PriceTable
from drretail.llm.registry import open_recorded
from drretail.progress import Progress
from drretail.records.base import Rules
from drretail.records.score import CODE, Scores, Verdict
from drretail.records.vote import Vote, Withdrawal, line_of
from drretail.records.wish import Want

JUDGE_AGAIN = "`drretail score EXP` makes verdicts by code and scores.json anew; delete a judge's file to ask it again."
ASK_AGAIN = "`drretail score EXP --judge … --retry everything` asks the judge once more."
_MOST_RETRIES = 5
"""Of questions that a judge failed on: each is a pass over all verdicts."""


async def check_verdicts(
    experiment: Path,
    copy: Path,
    store: Store,
    offers: Callable[[Want], Collection[str]],
    checklist: Checklist,
    progress: Progress,
) -> None:
    """Compares every verdict with the one that code, or a judge's journal, gives of a copy without verdicts.

    ``copy`` is where that copy is made.
    """
    by_file = {path: VerdictFile(path).lasts() for path in _verdict_files(experiment)}
    shutil.copytree(experiment, copy, ignore=_verdicts_and_pages)
    judges = _judges(by_file, experiment, checklist)
    by_rules: dict[Rules, set[str]] = defaultdict(set)
    tries = 1
    for verdict in (verdict for verdicts in by_file.values() for verdict in verdicts):
        if installed(verdict.metric) is None and verdict.metric != PAIRWISE:
            continue  # its verdicts are left open below
        if verdict.judge.spec == CODE or verdict.judge.key in judges:
            by_rules[verdict.rules].add(verdict.metric)
            tries = max(tries, verdict.attempt if verdict.judge.spec != CODE else 1)
    repeats = max((verdict.judge_repeat for verdicts in by_file.values() for verdict in verdicts), default=1)
    failed: Again = "failed"
    passes: list[Again] = ["nothing"]
    passes.extend(repeat(failed, min(tries - 1, _MOST_RETRIES)))
    asked_anew = [judge for judge in judges.values() if judge.ref.kind == "rule_based"]
    for judge in asked_anew:  # who follows rules answers alike each time, and a journal can be edited
        for journal in (copy / "verdicts").glob(f"*/{judge.slug}/*/*.journal.jsonl"):
            journal.unlink()
    served = [judge for judge in judges.values() if judge not in asked_anew]
    checklist.taken_at_word.update(judge.ref.spec for judge in served)
    # What no journal answers is not asked: an allowance of nothing is spent.
    for asked, allowance in ((asked_anew, None), (served, Allowance(tokens=0))):
        for rules, again in product(by_rules if asked or asked is asked_anew else (), passes):
            await score(
                copy,
                sorted(by_rules[rules]),
                asked,
                rules=rules,
                store=store,
                offers=offers,
                progress=progress,
                again=again,
                allowance=allowance,
                judge_repeats=repeats,
                rate_floors=True,
            )
    for path, verdicts in by_file.items():
        if installed(path.parents[2].name) is None and path.parents[2].name != PAIRWISE:
            reason, advice = "its metric is not one of the package's", "Score with that metric in a copy, and compare."
            checklist.leave("verdicts", path.relative_to(experiment), reason, advice)
            continue
        kept = [verdict for verdict in verdicts if verdict.judge.spec == CODE or verdict.judge.key in judges]
        _compare(path, kept, copy / path.relative_to(experiment), path.relative_to(experiment), checklist)
    for path in _verdict_files(copy):
        name = path.relative_to(copy)
        # Families and judges that have verdicts on other runs, and none on this one.
        if experiment / name not in by_file and (experiment / name).parents[1].is_dir():
            checklist.fail("verdicts", name, "the verdicts on this run are missing, and can be made again", JUDGE_AGAIN)
    for path in sorted((experiment / "readings").glob("*/*/*.json")):  # which scoring made anew where they were others
        name = path.relative_to(experiment)
        if path.read_bytes() != (copy / name).read_bytes():
            checklist.fail("verdicts", name, "it is not how the report is read", JUDGE_AGAIN)


def _verdict_files(experiment: Path) -> list[Path]:
    files = sorted((experiment / "verdicts").glob("*/*/*/*.jsonl"))
    return [path for path in files if not path.name.endswith(".journal.jsonl")]


def _verdicts_and_pages(folder: str, names: list[str]) -> set[str]:
    """What a copy leaves out: verdicts, which are to be made again, locks, and whatever was made for readers."""
    beside = {name for name in names if name.startswith(".") or name in ("votes", "exports", "plots", "lab")}
    if "verdicts" not in Path(folder).parts:
        return beside
    return beside | {name for name in names if name.endswith(".jsonl") and not name.endswith(".journal.jsonl")}


def _judges(by_file: Mapping[Path, Sequence[Verdict]], experiment: Path, checklist: Checklist) -> dict[str, Judge]:
    """By its key, each judge whose journal can answer for it."""
    judges: dict[str, Judge] = {}
    left: set[str] = set()
    asked = {v.judge.key for verdicts in by_file.values() for v in verdicts if v.prompt_hash and v.value}
    for path, verdicts in sorted(by_file.items(), key=lambda item: not _has_journal(item[0])):
        for ref in {verdict.judge.key: verdict.judge for verdict in verdicts if verdict.judge.spec != CODE}.values():
            if ref.key in judges or ref.key in left:
                continue
            effects = read_effects(_journal_of(path)) if _has_journal(path) else []
            if not effects and ref.key in asked:
                left.add(ref.key)
                reason = f"the judge {ref.key} was asked, and has no journal"
                checklist.fail("verdicts", path.relative_to(experiment), reason, ASK_AGAIN)
                continue
            try:
                params = effects[0].request.get("params", {}) if effects else {}
                judge = Judge.of(open_recorded(ref.spec, params))
                if judge.ref.kind != ref.kind:
                    name, advice = path.relative_to(experiment), "Delete the judge's files, and score again."
                    checklist.fail("verdicts", name, f"its judge is {judge.ref.kind}, and not {ref.kind}", advice)
                if judge.ref != ref:
                    raise UserError(f"the judge {ref.key} was told or asked otherwise than this version does")
                judges[ref.key] = judge
            except UserError as problem:
                left.add(ref.key)
                checklist.leave("verdicts", path.relative_to(experiment), str(problem).rstrip("."), ASK_AGAIN)
    return judges


def _journal_of(verdicts: Path) -> Path:
    return verdicts.with_suffix(".journal.jsonl")


def _has_journal(verdicts: Path) -> bool:
    journal = _journal_of(verdicts)
    return journal.exists() and journal.stat().st_size > 0


def _compare(path: Path, kept: Sequence[Verdict], again: Path, name: Path, checklist: Checklist) -> None:
    """The last verdict of each key beside the one that was made again."""
    made = {verdict.key: verdict for verdict in (VerdictFile(again).lasts() if again.exists() else [])}
    living = {verdict.key: verdict for verdict in kept}
    scopes = {(verdict.metric, verdict.judge.key, verdict.rules) for verdict in kept}
    asked_anew = {key for key in living if _was_scored_before(path, living[key])}
    for key, verdict in living.items():
        checklist.checked["verdicts"] += 1
        anew = made.get(key)
        if anew is not None and _content(anew) == _content(verdict):
            continue
        if key in asked_anew or (verdict.stage == SUPPORT_LIVE and live_journal(path.parents[4]).exists()):
            reason = f"{verdict.stage}/{verdict.item} was asked more than once, or of live pages"
            checklist.leave("verdicts", name, reason, ASK_AGAIN)
        elif anew is None:
            why = "code does not say it" if verdict.judge.spec == CODE else "its journal answers no such question"
            checklist.fail("verdicts", name, f"the verdict {verdict.stage}/{verdict.item}: {why}", JUDGE_AGAIN)
        else:
            said = f"{verdict.state} {verdict.value!r:.40}", f"{anew.state} {anew.value!r:.40}"
            reason = f"the verdict {verdict.stage}/{verdict.item} is {said[0]}, and made again {said[1]}"
            if said[0] == said[1]:
                reason = f"the verdict {verdict.stage}/{verdict.item} has other reasons, notes or sources made again"
            checklist.fail("verdicts", name, reason, JUDGE_AGAIN)
    missing = [v for key, v in made.items() if key not in living and (v.metric, v.judge.key, v.rules) in scopes]
    if missing:
        reason = f"the verdict {missing[0].stage}/{missing[0].item} is missing, and can be made again"
        checklist.fail("verdicts", name, reason, JUDGE_AGAIN)


def _was_scored_before(path: Path, verdict: Verdict) -> bool:
    """True where a judge had answered before the last verdict: which of its answers counts is its asker's choice.

    Code, and a judge that follows rules, answer alike each time.
    """
    if verdict.judge.kind == "rule_based" or verdict.attempt == 1:
        return False
    lines = map(Verdict.model_validate, read_jsonl(path))
    return any(line.key == verdict.key and line.attempt < verdict.attempt and line.state != "failed" for line in lines)


def _content(verdict: Verdict) -> dict[str, Any]:
    return verdict.model_dump(exclude={"attempt", "context"})


def check_scores(experiment: Path, prices: PriceTable, judge_notes: Mapping[str, str], checklist: Checklist) -> None:
    """Compares scores.json with what the folder's runs and verdicts come to; dollars are by the prices of the day."""
    kept = read_scores(experiment)
    if kept is None:
        checklist.leave("scores", "scores.json", "there is none", "`drretail score EXP` makes it.")
        return
    names = sorted({row.metric for row in kept.scores} | {path.name for path in (experiment / "verdicts").glob("*/")})
    families = [family for family in map(installed, names) if family is not None]
    asked = {TableKey(row.metric, Assessor.of(row)) for row in kept.scores if not row.judge.startswith("panel(")}
    pairs = sorted({(Assessor.of(row), (row.a, row.b)) for row in kept.pairs}, key=str)
    made = derive_scores(experiment, families, asked, pairs, prices, judge_notes)
    before, anew = _without_dollars(kept), _without_dollars(made)
    sections = {name: (before.get(name), anew.get(name)) for name in Scores.model_fields}
    checklist.checked["scores"] += 1
    different = [name for name, (found, expected) in sections.items() if found != expected]
    if different:
        reason = f"its {', '.join(different)} are not what the runs and verdicts come to"
        checklist.fail("scores", "scores.json", reason, "`drretail score EXP` makes it anew.")
    elif kept.scoreboard != made.scoreboard:
        reason = "its dollars are by other prices than those of today and of here"
        checklist.leave("scores", "scores.json", reason, "`drretail score EXP` makes it anew.")


def _without_dollars(scores: Scores) -> dict[str, Any]:
    made = scores.model_dump(mode="json", exclude_none=True)
    board: dict[str, Any] = made.get("scoreboard", {})
    board.pop("prices_as_of", None)
    dollars = [column["name"] for column in board.get("columns", ()) if column["unit"] == "dollars"]
    for row in board.get("rows", ()):
        row["cells"] = {name: cell for name, cell in row["cells"].items() if name not in dollars}
    return made


def check_votes(experiment: Path, checklist: Checklist) -> None:
    """Whether every line of people's files is about reports that are in the folder, as they are."""
    shas = {run.run_id: run.report_sha for run in read_runs(experiment)}
    reports = {run.run_id: run.report for run in read_runs(experiment)}
    for path in sorted((experiment / "votes").glob("*.jsonl")):
        known: set[str] = set()
        for number, value in enumerate(read_jsonl(path), 1):
            checklist.checked["votes"] += 1
            line, name = line_of(value), f"votes/{path.name}"
            advice = "Ask the person, or delete the line."
            if line.replaces is not None and line.replaces not in known:
                checklist.fail("votes", name, f"line {number} replaces a line that is not there", advice)
            known.add(line.ballot_id)
            if isinstance(line, Withdrawal):
                continue
            if isinstance(line, Vote):
                runs = [run for run in reports if run.startswith(f"{line.a}/{line.query_id}-r")]
                pairs = [sorted((run, line.b + run.removeprefix(line.a))) for run in runs]
                is_here = any(pair_id(p, [reports.get(run) for run in p]) == line.pair_id for p in pairs)
            else:
                is_here = shas.get(line.run_id) == line.report_sha
            if not is_here or line.annotator != path.stem:
                why = "is about a report that is not here as it was shown" if not is_here else "names somebody else"
                checklist.fail("votes", name, f"line {number} {why}", advice)
