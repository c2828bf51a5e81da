"""``reproduce``: the paper's experiment on models of one's own, from the estimate to a page of results."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, combinations
from pathlib import Path
from shlex import quote
from typing import Any

from drretail.addons.reproduction.options import ReproduceOptions
from drretail.addons.reproduction.verify import Verification, verify
from drretail.api.models import Opener
from drretail.api.option import accepts, keywords
from drretail.api.options.score import ScoreOptions
from drretail.api.options.shared import split_names, text_list
from drretail.api.prompts import all_prompt_files
from drretail.api.recorded import RecordedExperiment
from drretail.api.recorded_scores import RecordedScores
from drretail.api.run import CITED_PAGES, estimate_run, run
from drretail.api.score import judges_for, score
from drretail.api.settings import read_settings
from drretail.api.worlds import recorded_world
from drretail.errors import UserError
from drretail.eval.estimate import likely_judging
from drretail.eval.judging.spending import judging_costs
from drretail.eval.method import read_wording
from drretail.eval.registry import PAIRWISE, PAPERS
from drretail.files import write_atomically
from drretail.llm.estimates import Estimate
from drretail.llm.spending import spending_of
from drretail.llm.usage import NOTHING, Cost
from drretail.querygen.reading import read_queries, shipped_queries
from drretail.records.figures import count, counted, dollars
from drretail.records.run import Usage
from drretail.records.score import Scoreboard
from drretail.viewer.drawing.markup import markdown_table
from drretail.viewer.drawing.result import Part, Result, prose
from drretail.viewer.paper import AGENTS, SYSTEMS, PaperView, read_paper_view, tables_markdown
from drretail.viewer.sections import board_parts
from drretail.viewer.tables.board import BoardTables, board_notes
from drretail.viewer.tables.tallies import estimated

NO_CAP = (
    "Name what this may cost: --max-dollars N (or --max-tokens N) caps all runs and judging "
    "together, and --estimate prints what the runs are likely to cost."
)
BY_CODE = ("checks", "basket", "process")
PAGE = "results.md"


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The paper's experiment, made again."""

    experiment: RecordedExperiment
    """The runs."""
    scores: RecordedScores
    """The scores by the paper's rules, and what judging took."""
    verification: Verification
    """Whether the folder holds what its journals and verdicts give."""
    paper: PaperView
    """These numbers beside the paper's."""
    page: Path
    """The page with these numbers beside the paper's."""
    closing: str | None
    """Why it is incomplete, if the cap was reached. The same call with a higher cap continues."""

    def result(self) -> "Result[Reproduction]":
        """The page with the numbers."""
        systems = [asdict(tally) for tally in self.experiment.tallies]
        document = {"page": str(self.page), "systems": systems, "verified": self.verification.passes}
        reports = f"Kept in {self.page}. The reports: drretail report {quote(str(self.experiment.folder))}"
        closing = [] if self.closing is None else [self.closing]
        notes = [f"What the other tables of the paper need, and all settings: {self.page}", reports, *closing]
        return Result(self, document, [*self._parts()], notes=notes, left=not self.is_complete, path=self.page)

    def _parts(self) -> Iterator[Part]:
        """The page's beginning, and its tables in which the experiment has rows."""
        yield from prose(_verified(self.verification), "")
        yield from board_parts(self.scores)
        for beside_paper in self.paper.tables:
            if beside_paper.here:
                yield beside_paper.titled

    @property
    def is_complete(self) -> bool:
        """True if every run and judgement was made, and ``verify`` finds no difference."""
        whole = self.experiment.is_complete and not self.scores.judging.failed and self.closing is None
        return whole and self.verification.passes


@accepts(ReproduceOptions)
def reproduce(options: ReproduceOptions) -> Reproduction:
    """Runs the paper's six systems on fifty queries, judges by the paper's rules, and verifies.

    ``results.md`` in the experiment has your numbers beside the paper's (Tables 1, 2 and 5). Finished runs and
    judgements are not paid for again. ``max_dollars`` and ``max_tokens`` cap runs and judging together. Raises
    UserError without a folder, and as ``run`` and ``score`` do.
    """
    if options.to is None:
        raise UserError("Name the folder of the experiment: --to EXP.")
    models = text_list(options.model) if isinstance(options.model, Sequence) else []
    is_free = all(spec.rpartition("=")[2].startswith("offline:") for spec in models)
    if not is_free and options.max_dollars is None and options.max_tokens is None:
        raise UserError(NO_CAP)
    folder, settings = Path(options.to), read_settings()
    # A judge without a key, and prompts with a fault, are reported before any run is paid for.
    if options.prompts is not None:
        read_wording(Path(options.prompts), all_prompt_files())
    judges_for(PAPERS, options.judge, Opener(settings, options.base_url), options.model_profile)
    experiment = run(**_run_options(options))
    spent = _spent(folder)
    scores = _judged(options, folder, spent)
    verification = verify(folder, web=options.web if isinstance(options.web, str) else None)
    page = folder / PAGE
    with recorded_world(folder, None) as shop:
        paper = read_paper_view(folder, shop)
    write_atomically(page, _page(scores.scoreboard, verification, _spent(folder), paper))
    return Reproduction(experiment, scores, verification, paper, page, experiment.closing or scores.judging.closing)


@accepts(ReproduceOptions)
def estimate_reproduction(options: ReproduceOptions) -> Result[Sequence[Estimate]]:
    """What the remaining runs by system, and all of their judging by metric and judge, are likely to take.

    Nothing is sent.
    """
    run_options = _run_options(options)
    runs, source = estimate_run(**run_options).value, run_options["queries"]
    queries = read_queries(Path(source)) if isinstance(source, str | Path) else list(source)
    count = min(options.only or len(queries), len(queries))
    reports, pairs = count * len(run_options["agents"]), count * len([*combinations(AGENTS, 2)])
    opener = Opener(read_settings(), options.base_url, keyless=True)
    judging = [
        row
        for judge in judges_for(PAPERS, options.judge, opener, options.model_profile)
        for metric in PAPERS
        for row in likely_judging(metric, judge, pairs if metric == PAIRWISE else reports, Usage(), 0)
    ]
    return estimated("Likely to be taken by runs and judging", [*runs, *judging], [CITED_PAGES])


def _run_options(options: ReproduceOptions) -> dict[str, Any]:
    of_judges = ("judge", "agents", "prompts")  # what is no option of ``run``, or means the judges' prompts here
    return {name: value for name, value in keywords(options).items() if name not in of_judges} | {
        "queries": shipped_queries() if options.queries is None else options.queries,
        "agents": (*SYSTEMS, *split_names(options.agents)),
        "vary": {"scope": "any"},  # as the paper's tools
    }


def _judged(options: ReproduceOptions, folder: Path, spent: Cost) -> RecordedScores:
    """Judges by the paper's rules with what the runs left of the caps, then scores by code, which is free."""
    # 0.0001 dollars and 1 token are the smallest caps that ``score`` takes.
    dollars_left = None if options.max_dollars is None else max(options.max_dollars - (spent.dollars or 0), 0.0001)
    tokens_left = None if options.max_tokens is None else max(options.max_tokens - spent.usage.total, 1)
    common = ScoreOptions(folder, model_profile=options.model_profile, base_url=options.base_url, world=options.world)
    by_judge = replace(
        common,
        metrics=PAPERS,
        judge=options.judge,
        rules="paper",
        prompts=options.prompts,
        max_dollars=dollars_left,
        max_tokens=tokens_left,
        retry="failed" if "failed" in split_names(options.retry) else None,
    )
    judging = score(**keywords(by_judge)).judging
    return RecordedScores.of(score(**keywords(replace(common, metrics=BY_CODE))), folder, judging=judging)


def _spent(folder: Path) -> Cost:
    """The cost of all runs and all judging."""
    runs = (row.total for row in spending_of(folder))
    judging = (row.cost for row in judging_costs(folder))
    return sum(chain(runs, judging), NOTHING)


def _page(board: Scoreboard | None, verification: Verification, spent: Cost, paper: PaperView) -> str:
    cost = f", ${dollars(spent.dollars)}" if spent.dollars else ""
    verified = _verified(verification)
    blocks = [
        "# The paper's experiment, made again",
        "\n".join(f"- {sentence}" for sentence in paper.settings),
        f"Runs and judging took {count(spent.usage.total)} tokens{cost}.",
        verified if verification.passes else f"**{verified}**",
    ]
    if board is not None:
        blocks += [*board.not_read, board.sentence]
        blocks += [f"## {table.full_title}\n\n{markdown_table(table)}" for table in BoardTables(board).tables[:1]]
        blocks.append("\n".join(f"- {note}" for note in board_notes(board)))
    return "\n\n".join([*blocks, tables_markdown(paper)])


def _verified(verification: Verification) -> str:
    if verification.passes:
        replayed = sum(check.count for check in verification.checks if (check.check, check.state) == ("runs", "equal"))
        again = f"{counted(replayed, 'run')} replayed, and the scores made again"
        return verification.account.praise(f"`drretail verify` finds no difference ({again})", bare=True)
    differences = counted(len(verification.differences), "difference")
    return f"`drretail verify` finds {differences}, first: {verification.differences[0]}."
