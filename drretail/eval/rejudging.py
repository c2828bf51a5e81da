"""Verdicts made again, by code and by judges from their journals, and scores made again from runs and verdicts."""

import shutil
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from drretail.env.store.base import Store
from drretail.errors import UserError
from drretail.eval.check_results import RESTORE, Checklist, differing
from drretail.eval.claims.claims import SUPPORT_LIVE
from drretail.eval.judging.question import (
    NO_WORLD,
    VerdictFile,
    judge_journals,
    page_age_of,
    read_journal_of,
    verdict_files,
)
from drretail.eval.judging.session import Again, Judge
from drretail.eval.judging.sources import live_journal
from drretail.eval.judging.spending import Allowance
from drretail.eval.judging.subject import LookUp, WouldDo, pair_id, planned_runs
from drretail.eval.method import in_all_wordings, kept_wording
from drretail.eval.registry import PAIRWISE, installed
from drretail.eval.scores.file import gather_for_scores, read_scores, scores_of
from drretail.eval.scores.gathering import Assessor, Gathered, TableKey, is_panel
from drretail.eval.scoring import score
from drretail.experiment import ended_run, read_definition, read_discarded, read_runs, reference_path
from drretail.files import read_jsonl, write_atomically
from drretail.journal import Effect
from drretail.llm.registry import open_recorded
from drretail.llm.usage import PriceTable
from drretail.packs import JOURNAL, PACKS, data_of
from drretail.progress import Progress
from drretail.records.base import Rules
from drretail.records.query import Reference
from drretail.records.run import DUMPS
from drretail.records.score import CODE, JudgeRef, Judging, Score, Scores, Verdict
from drretail.records.vote import Vote, Withdrawal, line_of

ASK_AGAIN = "`drretail score EXP --judge … --retry everything` asks the judge once more."
EARLIER = "it is about an earlier report of the run"
RULES = "rule_based"
_LEFT_OUT = ("runs", "scores.json", "votes", "exports", "plots", "lab", "report")
_MOST_ATTEMPTS = 6
"""The most attempts of a verdict that are made again: each is a pass over all verdicts."""


async def check_verdicts(
    experiment: Path,
    copy: Path,
    store: Store,
    offers: WouldDo,
    look_up: LookUp,
    references: Mapping[str, Reference],
    gone: Collection[str],
    checklist: Checklist,
    progress: Progress,
) -> None:
    """Compares every verdict with the one that code, or a judge's journal, gives in a copy without verdicts.

    ``copy`` is the path of that copy, ``gone`` the folders of verdicts of which some were taken out.
    """
    files = {path: VerdictFile(path) for path in verdict_files(experiment)}
    verdicts = [verdict for file in files.values() for verdict in file.lasts()]
    _copy_without_verdicts(experiment, copy)
    judges = _judges(files, experiment, checklist)
    attempts: dict[tuple[str, ...], int] = {}
    metrics: dict[Rules, set[str]] = defaultdict(set)
    for verdict in verdicts:
        if _is_ours(verdict.metric) and (verdict.judge.spec == CODE or verdict.judge.key in judges):
            metrics[verdict.rules].add(verdict.metric)
            attempts |= {verdict.key: verdict.attempt} if verdict.judge.spec != CODE else {}
    passes: list[Again] = ["nothing"]
    passes.extend([attempts] * (min(max(attempts.values(), default=1), _MOST_ATTEMPTS) - 1))
    # By wording, and whether it is asked anew.
    judges_by_wording: dict[tuple[str, bool], list[Judge]] = {("", True): []}
    for judge, wording in judges.values():
        judges_by_wording.setdefault((wording, judge.ref.kind == RULES), []).append(judge)
        checklist.from_journals.update({judge.ref.spec} if judge.ref.kind != RULES else ())
    # Rules answer the same each time, and a journal could be edited.
    by_rules = {judge.with_wording(wording).slug for judge, wording in judges.values() if judge.ref.kind == RULES}
    for journal in judge_journals(experiment):
        if journal.parents[1].name not in by_rules:
            write_atomically(copy / journal.relative_to(experiment), data_of(journal))
    # Nobody has to ask a judge of dumps: where none was, a judge by rules is not asked either.
    rates_dumps = any(path.parent.name in DUMPS and path.parents[1].name != CODE for path in files)
    for (label, anew), those in judges_by_wording.items():
        for rules, again in product(metrics, passes):
            await score(
                copy,
                sorted(metrics[rules]),
                those,
                wording=kept_wording(experiment, label),
                rules=rules,
                store=store,
                offers=offers,
                look_up=look_up,
                references=references,
                progress=progress,
                again=again,
                # An allowance of 0 tokens: what is not in a journal is not asked.
                allowance=None if anew else Allowance(tokens=0),
                page_age=page_age_of(verdicts),
                judge_repeats=max((verdict.judge_repeat for verdict in verdicts), default=1),
                rate_floors=not anew or rates_dumps,
                derives=False,
            )
    discarded = (f"{each.system}/{each.query_id}-r{each.repeat}" for each in read_discarded(experiment))
    reports = dict.fromkeys(discarded) | {run.run_id: run.report_sha for run in read_runs(experiment)}
    comparison, unreadable = Comparison(experiment, checklist, gone, reports), _unreadable(experiment)
    for path, file in files.items():
        name = path.relative_to(experiment)
        kept = [verdict for verdict in file.lasts() if verdict.judge.spec == CODE or verdict.judge.key in judges]
        if any(not unreadable.isdisjoint((verdict.run_id, verdict.other_run_id)) for verdict in kept):
            checklist.leave("verdicts", name, "the files of its run can't be read", RESTORE)
        elif _is_ours(path.parents[2].name):
            comparison.compare(file, kept, VerdictFile(copy / name), name)
        else:
            advice = "Score with that metric in a copy, and compare."
            checklist.leave("verdicts", name, "its metric is not one of the package's", advice)
    for path in verdict_files(copy):
        name = path.relative_to(copy)
        # The metric and judge have verdicts on other runs, but none on this one.
        if experiment / name not in files and (experiment / name).parents[1].is_dir():
            comparison.note_missing(name)
    for path in sorted((experiment / "readings").glob("*/*/*.json")):  # scoring has made them again if they differed
        name = path.relative_to(experiment)
        if path.read_bytes() != (copy / name).read_bytes():
            if name.parts[2:] in comparison.earlier:
                checklist.wait("verdicts", name, EARLIER, _score_again((), ()))
            else:
                checklist.fail("verdicts", name, "it is not how the report is read")


def _unreadable(experiment: Path) -> frozenset[str]:
    """The runs that ended and whose files can't be read: nothing that rests on them can be made again."""
    planned = planned_runs(experiment, read_definition(experiment))
    runs = (ended_run(experiment, each.label, each.query.query_id, each.repeat) for each in planned)
    return frozenset(run.run_id for run in runs if run and run.error and run.error.kind == "unreadable")


def _is_ours(metric: str) -> bool:
    return metric == PAIRWISE or installed(metric) is not None


def _copy_without_verdicts(experiment: Path, copy: Path) -> None:
    """Copies what judging rests on, without verdicts, locks and files for readers; runs are linked, since judging does
    not write to them.
    """

    def ignored(folder: str, names: list[str]) -> list[str]:
        if Path(folder) == experiment:
            return [name for name in names if name in _LEFT_OUT or name.startswith(".")]
        is_of_judges = Path(folder).parts[-4:-3] == ("verdicts",)
        return [name for name in names if is_of_judges and name.endswith((".jsonl", *PACKS))]

    shutil.copytree(experiment, copy, ignore=ignored, copy_function=shutil.copyfile)
    for run in experiment.glob("runs/*/*"):
        link = copy / run.relative_to(experiment)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(run.resolve())


def _judges(files: Mapping[Path, VerdictFile], experiment: Path, checklist: Checklist) -> dict[str, tuple[Judge, str]]:
    """Each judge, by its key, whose journal can answer for it, and the label of its wording."""
    judges: dict[str, tuple[Judge, str]] = {}
    left: set[str] = set()

    def leave(ref: JudgeRef) -> None:
        left.add(ref.key)
        checklist.taken_at_word.update({ref.spec} if ref.kind != RULES else ())

    by_file = {path: file.lasts() for path, file in files.items()}
    asked = {v.judge.key for verdicts in by_file.values() for v in verdicts if v.prompt_hash and v.value}
    for path, verdicts in sorted(by_file.items(), key=lambda item: not _journal_of(item[0])):
        name = path.relative_to(experiment)
        for ref in {verdict.judge.key: verdict.judge for verdict in verdicts if verdict.judge.spec != CODE}.values():
            if ref.key in judges or ref.key in left:
                continue
            effects = _journal_of(path)
            if not effects and ref.key in asked:
                leave(ref)
                reason = f"the judge {ref.key} was asked, and has no journal"
                checklist.fail("verdicts", name, reason, ASK_AGAIN)
                continue
            try:
                params = effects[0].request.get("params", {}) if effects else {}
                judge = Judge.of(open_recorded(ref.spec, params, is_whole=bool(params)))
                if judge.ref.kind != ref.kind:
                    advice = "Delete the judge's files, and score again."
                    checklist.fail("verdicts", name, f"its judge is {judge.ref.kind}, and not {ref.kind}", advice)
                own = kept_wording(experiment, ref.wording).label
                if judge.with_wording(own).ref != ref:
                    raise UserError(f"the judge {ref.key} was told or asked otherwise than this version does")
                judges[ref.key] = judge, own
            except UserError as problem:
                leave(ref)
                checklist.leave("verdicts", name, str(problem).rstrip("."), ASK_AGAIN)
    return judges


def _journal_of(verdicts: Path) -> list[Effect]:
    return read_journal_of(verdicts.with_suffix(JOURNAL))


@dataclass(frozen=True, slots=True)
class Comparison:
    """The verdicts of a folder beside those that were made again."""

    experiment: Path
    checklist: Checklist
    gone: Collection[str]
    reports: Mapping[str, str | None]
    """By run, the hash of its report; None for a run without one, and for one that is being made again."""
    earlier: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])
    """The labels and file names of runs with verdicts on an earlier report."""

    def compare(self, file: VerdictFile, kept: Sequence[Verdict], again: VerdictFile, name: Path) -> None:
        """Compares the last verdict of each key with the one that was made again."""
        checklist, made = self.checklist, {verdict.key: verdict for verdict in again.lasts()}
        scopes = {_scope(verdict) for verdict in kept}
        current = {_scope(verdict) for verdict in kept if not self._is_outdated(verdict)}
        for verdict in kept:
            if self._is_outdated(verdict) and _scope(verdict) in current:
                continue  # judged anew since by the metric of today
            checklist.checked["verdicts"] += 1
            anew, item = made.pop(verdict.key, None), f"the verdict {verdict.stage}/{verdict.item}"
            if anew is not None and _content(anew) == _content(verdict):
                continue
            if cause := self._older(verdict):
                self.earlier.update([(name.parts[-2], f"{name.stem}.json")] if cause == EARLIER else ())
                again_by = _score_again([verdict.metric], [verdict.judge.spec])
                checklist.wait("verdicts", name, f"{cause}: {item}", again_by)
            elif verdict.stage == SUPPORT_LIVE and live_journal(self.experiment).exists():
                cause = "verdicts of live pages are not made again"
                checklist.leave("verdicts", name, f"{cause}: {item}", ASK_AGAIN)
            elif (anew is None or anew.attempt < verdict.attempt) and _was_asked_again(file, verdict):
                cause = "a verdict that was asked for more than once rests on what is no longer here"
                checklist.leave("verdicts", name, f"{cause}: {item}", ASK_AGAIN)
            elif anew is None:
                cause = "code does not say it" if verdict.judge.spec == CODE else "its journal answers no such question"
                checklist.fail("verdicts", name, f"{item}: {cause}", cause=cause)
            else:
                kept_text, made_text = (f"{each.state} {each.value!r:.40}" for each in (verdict, anew))
                reason = f"{item} is {kept_text}, and made again {made_text}"
                if kept_text == made_text:
                    reason = f"{item} has other reasons, notes or sources made again"
                checklist.fail("verdicts", name, reason, cause="a verdict is another one when it is made again")
        for verdict in made.values():
            if _scope(verdict) in scopes:
                self.note_missing(name, f": the verdict {verdict.stage}/{verdict.item}")

    def note_missing(self, name: Path, which: str = "") -> None:
        """Verdicts that can be made: a failure if scores.json was made of more than there are, else not scored yet."""
        metric = name.parts[1]
        if name.parent.relative_to("verdicts").as_posix() in self.gone:
            self.checklist.fail("verdicts", name, f"something is missing that can be made again{which}")
        else:
            reason = f"the run is not {'fully ' if which else ''}scored by {metric} yet{which}"
            self.checklist.wait("verdicts", name, reason, f"`drretail score EXP --metrics {metric}` goes on.")

    @staticmethod
    def _is_outdated(verdict: Verdict) -> bool:
        metric = installed(verdict.metric)
        return metric is not None and verdict.version != metric.version

    def _older(self, verdict: Verdict) -> str:
        """Why scores leave the verdict out, or will replace it; blank for one that counts."""
        judged = {verdict.run_id: verdict.report_sha, verdict.other_run_id: verdict.other_report_sha}
        if any(run in self.reports and self.reports[run] != sha for run, sha in judged.items() if run is not None):
            return EARLIER
        metric = installed(verdict.metric)
        if self._is_outdated(verdict):
            return "an older version of the metric made it"
        if metric is not None and verdict.prompt_hash not in in_all_wordings(self.experiment, metric.prompt_hashes):
            return "it was asked by prompts of another version"
        # As of a run that was cut before its gold was added, scored, and then continued.
        query_id = verdict.run_id.rpartition("/")[2].rpartition("-r")[0]
        basket = reference_path(self.experiment, query_id).relative_to(self.experiment)
        if verdict.judge.spec == CODE and str(basket) in {each.file for each in self.checklist.unmade["versions"]}:
            return "it was made with another basket"
        return "it was made without the world" if verdict.reason == NO_WORLD else ""


def _scope(verdict: Verdict) -> tuple[str, str, str, int]:
    return verdict.metric, verdict.judge.key, verdict.rules, verdict.judge_repeat


def _was_asked_again(file: VerdictFile, verdict: Verdict) -> bool:
    """True if the judge had answered before, and its journal shows that such questions were asked again.

    The earlier question can't be reproduced if it was about another report or source, or by another prompt.
    """
    attempt = f"#{verdict.judge_repeat}.{verdict.attempt}"
    return any(line.state != "failed" for line in file.before_last(verdict.key)) and any(
        effect.scope.startswith(f"{verdict.stage}/") and effect.scope.endswith(attempt)
        for effect in _journal_of(file.path)
    )


def _content(verdict: Verdict) -> dict[str, Any]:
    return verdict.model_dump(exclude={"attempt", "context", "repairs"})


def _score_again(metrics: Iterable[str], judges: Iterable[str]) -> str:
    """The command that makes verdicts or scores of these metrics by these judges anew."""
    asked = "".join(f" --judge {judge}" for judge in dict.fromkeys(judges) if judge != CODE and not is_panel(judge))
    named = ",".join(dict.fromkeys(metrics))
    return f"`drretail score EXP{f' --metrics {named}' if named else ''}{asked}` makes it anew."


_OTHER = "the runs and verdicts give other"
"""How a failure begins if rows of scores.json, or the tables made of them, were edited."""


def check_scores(
    experiment: Path, prices: PriceTable, judge_notes: Mapping[str, str], checklist: Checklist
) -> Gathered | None:
    """Compares scores.json with what the runs and verdicts give; dollars are at today's prices.

    Returns what it read of them; None without scores.
    """
    recorded = read_scores(experiment)
    if recorded is None:
        checklist.wait("scores", "scores.json", "there is none", _score_again((), ()))
        return None
    judged_names = {path.name for path in (experiment / "verdicts").glob("*/")}
    names = sorted({row.metric for row in recorded.scores} | judged_names)
    again = _score_again(names, (row.judge for row in recorded.scores))
    metrics = [metric for metric in map(installed, names) if metric is not None]
    if strange := [name for name in names if not _is_ours(name)]:
        reason = f"its metric {strange[0]} is not one of the package's"
        checklist.leave("scores", "scores.json", reason, "Install what brings it, and verify there.")
    # A judge that was asked has rows for all systems, another only for those of which it has verdicts.
    judged = {_place(row) for row in recorded.judgings if row.verdicts or row.stale}
    judges_asked = {TableKey(row.metric, Assessor.of(row)) for row in recorded.scores if _place(row) not in judged}
    judges_asked = {key for key in judges_asked if not is_panel(key.assessor.judge.spec)}
    pairs = sorted({(Assessor.of(row), (row.a, row.b)) for row in recorded.pairs}, key=str)
    if strange:
        judges_asked = {key for key in judges_asked if _is_ours(key.metric)}
    gathered = gather_for_scores(experiment, metrics, judges_asked)
    made = scores_of(experiment, gathered, judges_asked, pairs, prices, judge_notes)
    before, now = recorded.made_of, made.made_of
    if strange:  # tables and pairs have columns of its own; the rows of the other metrics rest on their verdicts alone
        rows = [[row for row in scores.scores if _is_ours(row.metric)] for scores in (recorded, made)]
        if before == now and rows[0] != rows[1]:
            checklist.fail("scores", "scores.json", f"{_OTHER} scores")
        return gathered
    checklist.checked["scores"] += 1
    if different := differing(_without_dollars_and_cards(recorded), _without_dollars_and_cards(made)):
        if before is None or now is None or before.version != now.version:
            checklist.wait("scores", "scores.json", "another version of drretail made it", again)
        elif less := before.taken_out(now):
            reason = f"what it was made of was taken out: of {less[0]} there was more"
            checklist.fail("scores", "scores.json", reason)
        elif before != now:
            checklist.wait("scores", "scores.json", "it is older than the runs and verdicts", again)
        elif _unreadable(experiment):
            checklist.leave("scores", "scores.json", "it rests on runs whose files can't be read", RESTORE)
        else:
            checklist.fail("scores", "scores.json", f"{_OTHER} {', '.join(different)}")
        return gathered
    kept, anew = _board_as_kept(recorded), _board_as_kept(made)
    if recorded.metrics != made.metrics or kept.get("notes") != anew.get("notes"):
        checklist.wait("scores", "scores.json", "it does not show the judges' cards as they are", again)
    elif kept != anew:
        reason = "its dollars are by other prices than those of today and of here"
        checklist.leave("scores", "scores.json", reason, again)
    return gathered


def _place(row: Score | Judging) -> tuple[str, str, str, str, str]:
    return row.metric, row.system, row.rules, row.judge, row.judge_params


def _board_as_kept(scores: Scores) -> dict[str, Any]:
    """The scoreboard as it is written: some of its fields are not."""
    return scores.model_dump(mode="json", exclude_none=True, include={"scoreboard"}).get("scoreboard", {})


def _without_dollars_and_cards(scores: Scores) -> dict[str, Any]:
    made = scores.model_dump(mode="json", exclude_none=True, exclude={"made_of", "named_judges"})
    board: dict[str, Any] = made.get("scoreboard", {})
    board.pop("prices_as_of", None)
    board.pop("notes", None)  # the judges' cards are among them
    for described in made["metrics"].values():
        described.pop("judges", None)
    dollars = [column["name"] for column in board.get("columns", ()) if column["unit"] == "dollars"]
    for row in board.get("rows", ()):
        row["cells"] = {name: cell for name, cell in row["cells"].items() if name not in dollars}
    return made


def check_votes(experiment: Path, checklist: Checklist) -> None:
    """Checks that every vote is about reports that are in the folder, unchanged."""
    runs = {run.run_id: run for run in read_runs(experiment)}
    for path in sorted((experiment / "votes").glob("*.jsonl")):
        known: set[str] = set()
        for number, value in enumerate(read_jsonl(path), 1):
            checklist.checked["votes"] += 1
            line, name = line_of(value), f"votes/{path.name}"
            if line.replaces is not None and line.replaces not in known:
                checklist.fail("votes", name, f"it replaces a line that is not there: line {number}")
            known.add(line.ballot_id)
            if isinstance(line, Withdrawal):
                continue
            if isinstance(line, Vote):
                of_query = [run_id for run_id in runs if run_id.startswith(f"{line.a}/{line.query_id}-r")]
                pairs = [sorted((run_id, line.b + run_id.removeprefix(line.a))) for run_id in of_query]
                shown = [(ids, [runs[run_id].report for run_id in ids if run_id in runs]) for ids in pairs]
                is_here = any(pair_id(ids, reports) == line.pair_id for ids, reports in shown if len(reports) == 2)
            else:
                is_here = line.run_id in runs and runs[line.run_id].report_sha == line.report_sha
            if not is_here:
                checklist.fail("votes", name, f"it is about a report that is not here as it was shown: line {number}")
            elif line.annotator != path.stem:
                checklist.fail("votes", name, f"it names somebody else: line {number}")
