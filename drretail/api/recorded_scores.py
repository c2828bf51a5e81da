"""Recorded scores, for code and for notebooks, and as ``score`` prints them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Literal, get_args

from pydantic import PrivateAttr

from drretail.api.options.score import ScoreOptions
from drretail.api.options.shared import metrics_in, text_list
from drretail.errors import UserError, check_known
from drretail.eval.judging.spending import JudgingCost
from drretail.eval.method import method_cards, score_notes
from drretail.eval.metric import Metric
from drretail.eval.numbers.facts import run_values, with_slices
from drretail.eval.numbers.file import other_metrics, rows_of_metrics, without_board_metrics
from drretail.eval.numbers.gathering import gather
from drretail.eval.numbers.judges import Assessor, TableKey, judge_spec, read_board
from drretail.eval.registry import FALSE_STATEMENTS, PAIRWISE, recorded_metric
from drretail.llm.prices import unpriced
from drretail.records.account import Account
from drretail.records.figures import counted
from drretail.records.score import Scores, SliceBy
from drretail.viewer.drawing.result import Part, Result, part_lines, prose
from drretail.viewer.drawing.screen import on_screen

if TYPE_CHECKING:
    # pandas is no dependency: a user who has it gets its type.
    import pandas  # pyright: ignore[reportMissingImports]

    from drretail.viewer.experiment import ExperimentView

# What shows scores is imported where it is used: `score` judges without it.
NOT_PAIRED = (
    "pairwise compared nothing: no two systems that do research answered the same query. To "
    "compare floors or the oracle, name them: --pairs A~B."
)
UNFETCHED = "Claims on pages that were not fetched: {count:,}. They are n/a; --fetch-sources fetches the pages."
MOST_FAULTS = 3
"""The most faults that are printed below the board."""
MOST_FALSE = 5
"""The most false statements that are printed before the scoreboard."""
By = Literal["system", "query"]
_KEYS = ("metric", "variant", "rules", "judge", "system")
_KEYS_OF_RUNS = (*_KEYS, "query_id", "repeat")


@dataclass(frozen=True, slots=True)
class JudgingOutcome:
    """What became of the judging that ``score`` was asked for."""

    metrics: frozenset[str] = frozenset()
    """The requested metrics, by the names that their rows have."""
    spent: Sequence[JudgingCost] = ()
    """What all judging of the experiment has taken so far."""
    stages: frozenset[str] = frozenset()
    """The accounts of these metrics and judges, by their stages."""
    failed: int = 0
    """Questions of these metrics, judges, rules and pairs without a usable answer."""
    compared_nothing: bool = False
    """True if pairwise was requested and no query has reports of two compared systems."""
    unfetched: int = 0
    """Claims that are n/a because a page that they cite was not fetched."""
    closing: str | None = None
    """A sentence on the cap, if it was reached, and on gold that has changed since the run."""


class RecordedScores(Scores):
    """The scores of an experiment as data frames, and as its scoreboard in a notebook."""

    _folder: Path | None = PrivateAttr(None)
    _metrics: tuple[Metric, ...] = PrivateAttr(())
    _judging: JudgingOutcome = PrivateAttr(JudgingOutcome())
    _options: ScoreOptions = PrivateAttr(ScoreOptions(""))

    @classmethod
    def of(
        cls,
        scores: Scores,
        folder: Path,
        metrics: Iterable[Metric] = (),
        judging: JudgingOutcome | None = None,
        options: ScoreOptions | None = None,
    ) -> "RecordedScores":
        """The scores of the experiment in a folder. ``metrics`` are those that can't be found by name."""
        scores_read = cls.model_construct(**dict(scores))
        scores_read._folder, scores_read._metrics, scores_read._judging = (
            folder,
            tuple(metrics),
            judging or JudgingOutcome(),
        )
        scores_read._options = options or scores_read._options
        return scores_read

    def result(self) -> "Result[RecordedScores]":
        """The scoreboard, or the tables of the metrics or slices that the options of ``score`` ask for."""
        from drretail.viewer.experiment import read_view
        from drretail.viewer.sections import slice_kinds

        kinds = slice_kinds(text_list(self._options.by))
        scores = with_slices(self._known_folder, self) if kinds else self
        spent = self._judging.spent
        document = {**scores.model_dump(mode="json", exclude_none=True), "spending": [cost.document for cost in spent]}
        has_tables = self._options.details or bool(kinds)
        parts: list[Part] = []
        folder = self._known_folder
        view = read_view(folder, self)
        if view.is_of_shop:  # what is false in an assistant's answers, the worst first; nothing for research
            from drretail.viewer.tables.false_statements import false_lines

            wrong = false_lines(view.runs, MOST_FALSE)
            parts += prose(*wrong, f"Each in its conversation: drretail report {quote(str(folder))}", "")
        parts += self._tables(scores, kinds) if has_tables else self._board(view)
        unknown = {spec for cost in spent for spec in cost.cost.unpriced}
        priced = [unpriced(unknown)] if has_tables and unknown else []
        left = self._judging.failed + (self._judging.closing is not None)
        notes = [*priced, f"Kept in {folder / 'scores.json'}.", *self._missing()]
        return Result(
            self, document, parts, notes=notes, left=left, accounts=self._accounts(is_of_shop=view.is_of_shop)
        )

    def _accounts(self, *, is_of_shop: bool) -> list[Account]:
        """What became of the reports in what was asked for. Without named metrics, of those in which some failed: many
        metrics have nothing to score in most experiments.
        """
        asked = [account for account in self.accounts if account.stage in self._judging.stages]
        if self._options.metrics or not any(account.used for account in asked):
            return asked
        of_shop = FALSE_STATEMENTS if is_of_shop else None
        return [account for account in asked if account.has_failed or account.stage.partition(" ")[0] == of_shop]

    def _board(self, view: "ExperimentView") -> Iterator[Part]:
        """The board, then the tables of requested metrics that are not wholly on it."""
        from drretail.viewer.sections import board_parts, metric_parts

        if self.scoreboard is not None:
            if self.scoreboard.judge.rules == "paper":
                from drretail.viewer.paper import JUDGED, judged

                folder, board = self._known_folder, read_board(self._known_folder)
                tables = (judged(str(folder), name, self, board) for name in JUDGED)
                yield from (table.titled for table in tables if table.here)
            from drretail.viewer.cards import fault_lines
            from drretail.viewer.tables.board import about_words

            faults = () if view.is_of_shop else fault_lines(view, MOST_FAULTS)
            yield from board_parts(self, about_words(view.definition, self.scoreboard), [*faults])
        if self._options.metrics:
            yield from metric_parts(without_board_metrics(rows_of_metrics(self, self._judging.metrics)))
        names = [name for name in metrics_in(self._options.metrics) if isinstance(name, str)]
        again = f" --metrics {','.join(names)}" if names else ""
        where = quote(str(self._known_folder))
        yield from prose(
            f"Intervals, floors, definitions: drretail score {where}{again} --details. Page: drretail report {where}"
        )

    def _tables(self, scores: Scores, kinds: Sequence[SliceBy]) -> Iterator[Part]:
        """The scores of the requested metrics as tables, with what judging took."""
        from drretail.viewer.sections import board_details, metric_parts, slice_parts
        from drretail.viewer.tables.tallies import audit_table, judging_table

        if not self._options.metrics and not kinds:
            yield from board_details(self, score_notes(self._known_folder))
        # Slices of all metrics: what systems were asked for shows in some alone.
        is_part = bool(self._options.metrics)
        scores = rows_of_metrics(scores, self._judging.metrics) if is_part else scores
        if kinds:
            yield from slice_parts(scores, kinds)
        yield from metric_parts(scores.model_copy(update={"scores": ()}) if kinds else scores)
        others = other_metrics(self, self._judging.metrics) if is_part else []
        if others:
            names = ", ".join(others)
            yield from prose(
                f"scores.json also holds {names}: score without --metrics prints all, report shows all.", ""
            )
        if self.audits:
            yield audit_table(self.audits)
        for card in method_cards(self._known_folder, self):
            yield from prose(*card.text, "")
        if self._judging.spent:
            yield judging_table(self._judging.spent)

    def _missing(self) -> Iterator[str]:
        """Which of the requested judgements are missing, and why."""
        judging = self._judging
        if judging.closing is not None:
            yield judging.closing
        if judging.compared_nothing:
            yield NOT_PAIRED
        if judging.unfetched:
            yield UNFETCHED.format(count=judging.unfetched)
        if judging.failed:
            judged = [row for row in self.judgings if row.metric in judging.metrics]
            pairs = self.pairs if PAIRWISE in judging.metrics else ()
            rows = [row for row in (*judged, *pairs) if row.error]
            errors = sorted({f"{row.judge}: {row.error}" for row in rows})[:2]
            why = f" ({'; '.join(errors)})" if errors else ""
            again = " The same command with --retry failed judges them again."
            is_ruled = rows and all(Assessor.of(row).judge.follows_rules for row in rows)  # and so fails again
            yield f"Failed judgements: {judging.failed:,}{why}.{'' if is_ruled else again}"

    @property
    def judging(self) -> JudgingOutcome:
        """What became of the judging; empty if the scores were only read."""
        return self._judging

    def to_pandas(self, by: By = "system") -> "pandas.DataFrame":
        """The scores as a data frame with one row per number, which the index tells apart from all others.

        The index has metric, variant, rules, judge and system: ``["value"].unstack("system")`` has a column for each
        system, and ``.xs("paper", level="rules")`` the rows of one set of rules. Beside a value stand its interval and
        what it is over: ``n`` of ``n_planned`` reports.

        With ``by="query"`` there is a row for each planned run, and query_id and repeat are in the index as well. A
        value is what the run counts in the system's mean, so it is 0 for a failed run in a variant of success;
        ``state`` and ``why`` say whether and why the run has no value. Pooled variants have no rows.

        Raises UnknownName for another ``by``, and UserError if pandas is not installed.
        """
        check_known("kind of row", get_args(By), by)
        try:
            pandas: Any = import_module("pandas")
        except ModuleNotFoundError:
            raise UserError("pandas is not installed: pip install pandas.") from None
        rows = self._rows(by)
        frame = pandas.DataFrame(rows, columns=None if rows else [*_KEYS, "value"])
        return frame.set_index([*(_KEYS_OF_RUNS if by == "query" and rows else _KEYS)])

    def _rows(self, by: By) -> list[dict[str, Any]]:
        """The rows, the keys first."""
        if by == "query":
            folder, by_name = self._known_folder, {metric.name: metric for metric in self._metrics}
            metrics = (by_name.get(name) or recorded_metric(folder, name) for name in self.metrics)
            gathered = gather(folder, [metric for metric in metrics if metric is not None])
            asked = (TableKey(row.metric, Assessor.of(row)) for row in self.scores)
            values = map(asdict, run_values(gathered, {*asked}))
            return [{**{key: row[key] for key in _KEYS_OF_RUNS}, **_without(row, "items", "name")} for row in values]
        scores = (
            row.model_dump(mode="json") | {"n": row.n_scored, "judge": judge_spec(Assessor.of(row).judge)}
            for row in self.scores
        )
        return [
            {
                **{key: row[key] for key in (*_KEYS, "value", "ci_low", "ci_high", "n", "n_planned")},
                **_without(row, "items", "judge_params", "n_scored"),
            }
            for row in scores
        ]

    @property
    def _known_folder(self) -> Path:
        if self._folder is None:
            raise UserError("These scores were not read from an experiment: open_experiment(FOLDER).scores has values.")
        return self._folder

    def __repr__(self) -> str:
        systems = len({row.system for row in self.scores})
        metrics = ", ".join(self.metrics)
        return f"<RecordedScores: {counted(systems, 'system')}, {metrics or 'nothing scored'}>"

    def __str__(self) -> str:
        """The board, as a terminal shows it."""
        from drretail.viewer.drawing.result import WIDTH
        from drretail.viewer.sections import board_parts

        if self.scoreboard is None:
            return repr(self)
        return on_screen("\n".join(part_lines(board_parts(self), WIDTH))).rstrip()

    def _repr_html_(self) -> str:
        from drretail.viewer.page.document import scores_cell

        return scores_cell(self)


def _without(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}
