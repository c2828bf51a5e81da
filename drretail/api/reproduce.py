"""``reproduce``: the paper's experiment on models of one's own, from the estimate to a page of results."""

from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import Any

from drretail.agents.running.spending import spending_of
from drretail.api.judges import judges_for
from drretail.api.models import Opener, profile_of
from drretail.api.option import accepts, keywords
from drretail.api.options.run import ReproduceOptions
from drretail.api.options.score import ScoreOptions
from drretail.api.recorded import RecordedExperiment, RecordedScores
from drretail.api.report import report
from drretail.api.run import CITED_PAGES, estimate_run, run
from drretail.api.score import score
from drretail.api.systems import several
from drretail.api.verification.verify import verify
from drretail.errors import UserError
from drretail.eval.check_results import Verification
from drretail.eval.judging.spending import judging_costs
from drretail.files import write_atomically
from drretail.llm.estimates import Estimates
from drretail.llm.prices import NOTHING, Cost, PriceTable, read_prices
from drretail.querygen.reading import read_queries
from drretail.querygen.shipped import shipped_queries
from drretail.records.scoreboard import Scoreboard
from drretail.settings import read_settings
from drretail.tables.figures import count, dollars
from drretail.tables.markdown import markdown_table
from drretail.viewer.paper.likely_cost import judging_likely, paper_tokens
from drretail.viewer.paper.published import SYSTEMS
from drretail.viewer.tables.scoreboard import printed_board

BY_JUDGE = ("faithfulness", "quality", "pairwise")
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
    """Whether the folder holds what its systems produced."""
    page: Path
    """The page with these numbers beside the paper's."""
    closing: str | None
    """Why it is incomplete, if the cap was reached. The same call with a higher cap continues."""

    @property
    def is_complete(self) -> bool:
        """True if every run and judgement was made, and nothing in the folder contradicts itself."""
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
    folder, settings = Path(options.to), read_settings()
    prices = read_prices(settings.prices)
    # A judge without a key is reported before any run is paid for.
    judges_for(BY_JUDGE, options.judge, Opener(settings, options.base_url), options.model_profile)
    experiment = run(**_run_options(options))
    spent = _spent(folder, prices)
    scores = _judged(options, folder, spent)
    verification = verify(folder, web=options.web if isinstance(options.web, str) else None)
    page = folder / PAGE
    paper = report(folder, "paper").text
    write_atomically(page, _page(scores.scoreboard, verification, _spent(folder, prices), paper))
    return Reproduction(experiment, scores, verification, page, experiment.closing or scores.judging.closing)


@accepts(ReproduceOptions)
def estimate_reproduction(options: ReproduceOptions) -> Estimates:
    """What the remaining runs by system, and then their judging by family and judge, are likely to take.

    Nothing is sent. Judging is that of reports as long as the paper's, whatever reports there are. A note says what the
    paper's runs took on as many queries, at today's price of your model.
    """
    asked = _run_options(options)
    runs, settings = estimate_run(**asked), read_settings()
    given: Any = asked["queries"]
    queries = read_queries(Path(given)) if isinstance(given, str | Path) else list(given)
    queried = min(options.only or len(queries), len(queries))
    opener = Opener(settings, options.base_url, keyless=True)
    judges = judges_for(BY_JUDGE, options.judge, opener, options.model_profile)
    profile = profile_of(options.model_profile, settings)
    spec = options.model if isinstance(options.model, str) else PRICED_AS if profile is None else profile.model
    judging = judging_likely(judges, queried, len(asked["agents"]))
    paper = paper_tokens(spec or PRICED_AS, queried, opener.prices)
    cost = "a price unknown" if paper.dollars is None else f"${dollars(paper.dollars.low)}"
    table5 = (
        f"The paper's {paper.count} runs (Table 5) read {count(paper.input.low)} tokens and wrote "
        f"{count(paper.output.low)}, without judging: {cost} today."
    )
    parts = [*(replace(row, unit="runs") for row in runs), *judging]
    return replace(runs, parts=parts, notes=[table5, CITED_PAGES])


def _run_options(options: ReproduceOptions) -> dict[str, Any]:
    of_judges = ("judge", "also", "prompts")  # what is no option of ``run``, or means the judges' prompts here
    return {name: value for name, value in keywords(options).items() if name not in of_judges} | {
        "queries": shipped_queries() if options.queries is None else options.queries,
        "agents": (*SYSTEMS, *several(options.also, "--also")),
        "scope": "any",  # as the paper's tools
    }


def _judged(options: ReproduceOptions, folder: Path, spent: Cost) -> RecordedScores:
    """Judges by the paper's rules with what the runs left of the caps, then scores by code, which is free."""
    # 0.0001 dollars and 1 token are the smallest caps that ``score`` takes.
    dollars_left = None if options.max_dollars is None else max(options.max_dollars - (spent.dollars or 0), 0.0001)
    tokens_left = None if options.max_tokens is None else max(options.max_tokens - spent.usage.total, 1)
    common = ScoreOptions(folder, model_profile=options.model_profile, base_url=options.base_url, world=options.world)
    by_judge = replace(
        common,
        metrics=BY_JUDGE,
        judge=options.judge,
        rules="paper",
        prompts=options.prompts,
        max_dollars=dollars_left,
        max_tokens=tokens_left,
        retry="failed" if "failed" in several(options.retry, "--retry") else None,
    )
    judging = score(**keywords(by_judge)).judging
    return RecordedScores.of(score(**keywords(replace(common, metrics=BY_CODE))), folder, judging=judging)


def _spent(folder: Path, prices: PriceTable) -> Cost:
    """The cost of all runs and all judging."""
    runs = (row.total for row in spending_of(folder, prices))
    judging = (row.cost for row in judging_costs(folder, prices))
    return reduce(Cost.plus, chain(runs, judging), NOTHING)


def _page(board: Scoreboard | None, verification: Verification, spent: Cost, paper: str) -> str:
    cost = f", ${dollars(spent.dollars)}" if spent.dollars else ""
    made, failures = sum(check.state == "pass" for check in verification.checks), verification.failures
    verified = f"`drretail verify` finds no contradiction: {made} of {len(verification.checks)} checks pass."
    if not verification.passes:
        verified = f"**`drretail verify` finds {len(failures):,} contradictions**, first: {failures[0].line}"
    settings, _, tables = paper.partition("\n")[2].partition("\n## ")
    blocks = [
        "# The paper's experiment, made again",
        settings.strip(),
        f"Runs and judging took {count(spent.usage.total)} tokens{cost}.",
        verified,
    ]
    if board is not None:
        drawn = printed_board(board)
        blocks.append(f"## {drawn.table.full_title}\n\n{markdown_table(drawn.table)}")
        blocks.append("\n".join(f"- {sentence}" for sentence in (*drawn.differs, *drawn.notes)))
    return "\n\n".join([*blocks, f"## {tables}"])
