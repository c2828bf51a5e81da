"""``reproduce``: the paper's experiment on models of one's own, from the estimate to a page of results."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, combinations
from pathlib import Path
from shlex import quote
from typing import Any

from drretail.agents.running.spending import spending_of
from drretail.api.models import Opener, profile_of
from drretail.api.option import accepts, keywords
from drretail.api.options.run import ReproduceOptions
from drretail.api.options.score import ScoreOptions
from drretail.api.options.shared import names_in, texts_in
from drretail.api.prompts import all_prompt_files
from drretail.api.recorded import RecordedExperiment
from drretail.api.recorded_scores import RecordedScores
from drretail.api.run import CITED_PAGES, estimate_run, run
from drretail.api.score import judges_for, score
from drretail.api.settings import read_settings
from drretail.api.verify import Verification, verify
from drretail.api.worlds import recorded_world
from drretail.errors import UserError
from drretail.eval.judging.session import Judge
from drretail.eval.judging.spending import judging_costs
from drretail.eval.method import read_wording
from drretail.eval.registry import PAPERS, load_metric, pair_metric
from drretail.files import write_atomically
from drretail.llm.estimates import Estimate, Estimates, Range, estimate_by_length, together
from drretail.llm.prompt import Prompt
from drretail.llm.usage import MILLION, NOTHING, Cost, PriceTable, read_prices
from drretail.querygen.reading import read_queries, shipped_queries
from drretail.records.score import Scoreboard
from drretail.records.tables.figures import count, counted, dollars
from drretail.records.tables.markup import markdown_table
from drretail.records.tables.result import Part, Result, prose
from drretail.viewer.paper import AGENTS, SYSTEMS, PaperView, columns_of, read_paper_view, rows_of, tables_markdown
from drretail.viewer.sections import scoreboard_parts
from drretail.viewer.tables.scoreboard import board_notes, board_table

NO_CAP = (
    "Name what this may cost: --max-dollars N (or --max-tokens N) caps all runs and judging "
    "together, and --estimate prints what the runs are likely to cost."
)
BY_CODE = ("checks", "basket", "process")
PAGE = "results.md"
PRICED_AS = "anthropic:claude-sonnet-4-6"
"""The model whose price stands for the paper's, which is retired, if none is named."""


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
        yield from scoreboard_parts(self.scores)
        for beside_paper in self.paper.tables:
            if beside_paper.here:
                yield replace(beside_paper.table, title=f"{beside_paper.name}. {beside_paper.table.title}")

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
    models = texts_in(options.model) if isinstance(options.model, Sequence) else []
    is_free = all(spec.rpartition("=")[2].startswith("offline:") for spec in models)
    if not is_free and options.max_dollars is None and options.max_tokens is None:
        raise UserError(NO_CAP)
    folder, settings = Path(options.to), read_settings()
    prices = read_prices(settings.prices)
    # A judge without a key, and prompts with a fault, are reported before any run is paid for.
    if options.prompts is not None:
        read_wording(Path(options.prompts), all_prompt_files())
    judges_for(PAPERS, options.judge, Opener(settings, options.base_url), options.model_profile)
    experiment = run(**_run_options(options))
    spent = _spent(folder, prices)
    scores = _judged(options, folder, spent)
    verification = verify(folder, web=options.web if isinstance(options.web, str) else None)
    page = folder / PAGE
    with recorded_world(folder, None) as shop:
        paper = read_paper_view(folder, shop)
    write_atomically(page, _page(scores.scoreboard, verification, _spent(folder, prices), paper))
    return Reproduction(experiment, scores, verification, paper, page, experiment.closing or scores.judging.closing)


@accepts(ReproduceOptions)
def estimate_reproduction(options: ReproduceOptions) -> Estimates:
    """What the remaining runs by system, and then their judging by metric and judge, are likely to take.

    Nothing is sent. Judging is that of reports as long as the paper's, whatever reports there are. A note says what the
    paper's runs took on as many queries, at today's price of your model.
    """
    run_options = _run_options(options)
    runs, settings = estimate_run(**run_options), read_settings()
    source: Any = run_options["queries"]
    queries = read_queries(Path(source)) if isinstance(source, str | Path) else list(source)
    queried = min(options.only or len(queries), len(queries))
    opener = Opener(settings, options.base_url, keyless=True)
    judges = judges_for(PAPERS, options.judge, opener, options.model_profile)
    profile = profile_of(options.model_profile, settings)
    spec = options.model if isinstance(options.model, str) else PRICED_AS if profile is None else profile.model
    judging = judging_likely(judges, queried, len(run_options["agents"]))
    rows, columns = rows_of("cost"), columns_of("cost")
    read, written = (
        1_000 * queried * sum(float(row[columns.index(name)].value or 0) for row in rows.values())
        for name in ("input tokens (k)", "output tokens (k)")
    )
    price = opener.prices.of(spec or PRICED_AS)
    money = None if price is None else (read * price.input + written * price.output) / MILLION
    cost = "a price unknown" if money is None else f"${dollars(money)}"
    table5 = (
        f"The paper's {queried * len(rows)} runs (Table 5) read {count(read)} tokens and wrote {count(written)}, "
        f"without judging: {cost} today."
    )
    parts = [*(replace(row, unit="runs") for row in runs), *judging]
    return replace(runs, parts=parts, notes=[table5, CITED_PAGES])


def _run_options(options: ReproduceOptions) -> dict[str, Any]:
    of_judges = ("judge", "agents", "prompts")  # what is no option of ``run``, or means the judges' prompts here
    return {name: value for name, value in keywords(options).items() if name not in of_judges} | {
        "queries": shipped_queries() if options.queries is None else options.queries,
        "agents": (*SYSTEMS, *names_in(options.agents)),
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
        retry="failed" if "failed" in names_in(options.retry) else None,
    )
    judging = score(**keywords(by_judge)).judging
    return RecordedScores.of(score(**keywords(replace(common, metrics=BY_CODE))), folder, judging=judging)


def _spent(folder: Path, prices: PriceTable) -> Cost:
    """The cost of all runs and all judging."""
    runs = (row.total for row in spending_of(folder, prices))
    judging = (row.cost for row in judging_costs(folder, prices))
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
        table = board_table(board)
        blocks.append(f"## {table.full_title}\n\n{markdown_table(table)}")
        blocks.append("\n".join(f"- {sentence}" for sentence in (*board.differs, *board_notes(board))))
    return "\n\n".join([*blocks, tables_markdown(paper)])


def _verified(verification: Verification) -> str:
    if verification.passes:
        replayed = sum(check.count for check in verification.checks if (check.check, check.state) == ("runs", "equal"))
        return f"`drretail verify` finds no difference: {counted(replayed, 'run')} replayed, and the scores made again."
    found = counted(len(verification.differences), "difference")
    return f"`drretail verify` finds {found}, first: {verification.differences[0]}."


CHARACTERS_PER_WORD = 7
"""Of a report, with its spaces, marks and list of sources."""
CONTEXT, SOURCE = 2_000, 3_000
"""Characters of a question with its profile, and of what one claim cites: a record, or a page cut to what matters."""
BASIS = "reports as long, and with as many cited claims, as the paper's (Tables 1 and 5); no prompt cache, no repairs"


def judging_likely(judges: Sequence[Judge], queries: int, systems: int) -> list[Estimate]:
    """By metric and language model: what judging so many reports by the paper's rules is likely to take."""
    words = _mean("cost", "words")
    report, claims = round(words * CHARACTERS_PER_WORD), round(_mean("faithfulness", "N_cited"))
    stages = {prompt.name: len(prompt.shared + prompt.text) for prompt in load_metric("faithfulness").prompts()}
    rating = _longest(load_metric("quality").prompts()) + report + CONTEXT
    comparing = _longest(pair_metric().prompts("paper").values()) + 2 * report + CONTEXT
    reports, pairs = queries * systems, queries * len([*combinations(AGENTS, 2)])
    support = (stages["support_alone"] + SOURCE, claims * reports)
    stages_of = {
        "faithfulness": [
            (stages["extract_cited"] + report, reports, Range(40, 120).times(claims)),
            (stages["extract_all"] + report, reports, Range(40, 120).times(claims)),
            (*support, Range(40, 120)),
        ],
        "quality": [(rating, 7 * reports, Range(80, 300))],
        "pairwise": [(comparing, 7 * pairs, Range(60, 200))],
    }
    estimates: list[Estimate] = []
    for judge in judges:
        if judge.model is None or judge.ref.kind == "rule_based":
            continue
        spec, price = judge.ref.spec, judge.model.price
        for metric, parts in stages_of.items():
            rows = [
                estimate_by_length(spec, [size] * count, answer, spec, price, basis=BASIS, unit="reports")
                for size, count, answer in parts
            ]
            of_what = (pairs, "pairs") if metric == "pairwise" else (reports, "reports")
            row = replace(together(rows, f"{metric} by {spec}"), count=of_what[0], unit=of_what[1], basis=BASIS)
            estimates.append(row)
    return estimates


def _mean(table: str, column: str) -> float:
    rows, at = rows_of(table), columns_of(table).index(column)
    return sum(float(row[at].value or 0) for row in rows.values()) / len(rows)


def _longest(prompts: Iterable[Prompt]) -> int:
    return max(len(prompt.shared + prompt.text) for prompt in prompts)
