"""How often `compare` is right about systems whose truth is known: drawn values through the code that it runs.

    python benchmarks/comparisons.py [--rounds 2000] [--only equal power] [--seed 7] [--json FILE]

An experiment is one call of ``compare_recorded`` on a folder, in which only what was read of the verdicts is exchanged
for drawn values of FP. First of all one folder of each shape of values is written with all its runs, judged by a script
and compared as it is: that must come to the same. Behind a share that misses what is wanted stands "!".
"""

import asyncio
import inspect
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from drawn_values import FIFTY, SHAPES, Design, Numbers, Random, drawn, latent
from figures import hold, keep, rounds_parser, share
from gates import TABLES as OF_GATES
from scipy.special import ndtri, stdtr

from drretail.eval.claims.claims import FAITHFULNESS
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.judging.session import Judge
from drretail.eval.metric import Value
from drretail.eval.metrics.faithfulness import FP, METRIC
from drretail.eval.numbers import comparing
from drretail.eval.numbers.gathering import Gathered, JudgedRun, PlannedRun
from drretail.eval.numbers.judges import Assessor, Board, TableKey
from drretail.eval.registry import PAIRWISE
from drretail.eval.scoring import ScoringPlan, score_experiment
from drretail.experiments.experiment import Definition, Experiment, write_definition
from drretail.experiments.run_file import Recorded
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from drretail.records.base import sha256_of
from drretail.records.comparison import ComparedRow
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.query import Query
from drretail.records.run import Run, RunError, System
from drretail.reports.citations import find_citations
from drretail.stats.intervals import FEWEST, Clusters, Groups, Interval, mean_interval, share_interval
from drretail.stats.ranking import Contest, strengths
from drretail.stats.significance import LEVEL, POWER, holm

FAILED = 0.05


def failing(rng: Random, values: Numbers, groups: Sequence[int]) -> Numbers:
    """The values, with none for a run that failed; those of one group fail together, and none of the first system's."""
    failed = rng.random((len(values), max(groups) + 1))[:, list(groups)] < FAILED
    failed[0] = False
    return np.where(failed, np.nan, values)


# An experiment, written and judged, or exchanged

POINTS = 20
SUPPORT = ("no_support", "partial_support", "full_support")
RECORD = '{"product_id": "B0BED00001", "title": "Bed", "features": ["It is a bed for dogs of all sizes"]}'
_TEXT = EvidenceText(form="record", text=RECORD, shown=True, path="0", seq=0)
BED = Evidence(id="P:B0BED00001", kind="product", key="B0BED00001", title="Bed", texts=(_TEXT,))


def report_of(value: float) -> str:
    """A report whose FP is the value, a multiple of half a point."""
    full, half = divmod(round(value * POINTS * 2), 2)
    labels = [SUPPORT[2]] * full + [SUPPORT[1]] * half + [SUPPORT[0]] * (POINTS - full - half)
    return " ".join(f"Point {number} has {label} [{BED.id}]." for number, label in enumerate(labels, 1))


def answer(request: Request) -> ScriptedAnswer:
    """A judge that finds a claim in each sentence, and its support in its words; it prefers long and good reports."""
    asked, structured = request.messages[0].text, dict[str, Any]()
    if request.schema == "Comparison":
        reports = re.findall(r'<report name="[AB]">\n(.*?)\n</report>', asked, re.DOTALL)
        first, second = (len(report.split()) + 40 * report.count("good") for report in reports)
        structured = {"justification": "So.", "winner": "A" if first > second else "B"}
    elif request.schema == "ClaimsSupport":
        judged = re.findall(r'<claim id="(\d+)"[^>]*>\s*Point \d+ has (\w+)', asked)
        quotes = {SUPPORT[0]: []}
        structured["claims"] = [
            {"claim_id": int(id_), "quotes": quotes.get(label, [RECORD[:60]]), "justification": "So.", "label": label}
            for id_, label in judged
        ]
    else:
        report = re.findall(r"<report>\n(.*?)\n</report>", asked, re.DOTALL)[-1]
        structured["claims"] = [
            {"claim_id": number, "claim": words, "quote": words, "sources": [BED.id], "values": []}
            for number, words in enumerate(re.findall(r"Point \d+ has \w+", report), 1)
        ]
        structured |= {"picks": []} if request.schema == "ClaimsAndPicks" else {}
    return ScriptedAnswer(structured=structured)


JUDGE = Judge.of(scripted_model(play=answer, name="reader", kind="llm"))
# Without the variants from which nothing is concluded: they take most of the time.
_OF_FP = replace(METRIC, description=METRIC.description.model_copy(update={"compared": (FP,)}))


def definition_of(design: Design, systems: int) -> Definition:
    about: Any = {"text": "Which bed?", "source": "simulated"}
    queries = [Query(query_id=f"q{at:03}", user_id=f"u{user}", **about) for at, user in enumerate(design.groups)]
    labels = [f"s{at:02}" for at in range(systems)]
    return Definition(queries=tuple(queries), systems={label: System(agent=label, models={}) for label in labels})


def write(folder: Path, design: Design, reports: Sequence[Sequence[str | None]], metric: str) -> Path:
    """An experiment with these reports by system and query, judged; None is a run that failed."""
    definition = definition_of(design, len(reports))
    with Experiment(folder, definition) as opened:
        for label, texts in zip(definition.systems, reports, strict=True):
            for query, text in zip(definition.queries, texts, strict=True):
                how: dict[str, Any] = {"status": "done", "stop": "finished", "report": text}
                if text is None:
                    problem = RunError(kind="no_report", where=label, message="none")
                    how = {"status": "failed", "stop": "error", "error": problem}
                else:
                    how |= {"report_sha": sha256_of(text), "citations": tuple(find_citations(text, {BED.id: BED}))}
                about = {"system": label, "query_id": query.query_id, "user_id": query.user_id, "repeat": 1}
                opened.save(Recorded(Run(run_id=f"{label}/{query.query_id}-r1", **about, **how), (BED,), {}, {}))
    asyncio.run(score_experiment(ScoringPlan(folder, [metric], [JUDGE])))
    return folder


def exchanged(definition: Definition, values: Numbers) -> Gathered:
    """What is read of an experiment whose reports have these values, by system and query."""
    plans: list[PlannedRun] = []
    judged: dict[str, JudgedRun] = {}
    for label, of_system in zip(definition.systems, values.tolist(), strict=True):
        for query, value in zip(definition.queries, of_system, strict=True):
            run_id, is_done = f"{label}/{query.query_id}-r1", value == value
            sha, status = ("sha", "done") if is_done else (None, "failed")
            plans.append(PlannedRun(label, query, 1, run_id, sha, words=int(is_done), status=status))
            if is_done:
                judged[run_id] = JudgedRun(query.query_id, {FP: Value(FP, "scored", value)}, verdicts=1)
    key = TableKey(FAITHFULNESS, Assessor(JUDGE.ref, "default"))
    return Gathered(definition, {FAITHFULNESS: _OF_FP}, tuple(plans), {key: judged}, Board(judge=(JUDGE.ref.key,)))


def rows_of(experiment: Path) -> list[ComparedRow]:
    """The tested rows of all systems and the first, FP's and failures'."""
    compared = comparing.compare_recorded(experiment, metrics=[FAITHFULNESS])
    tested = ((each, row) for each in compared for table in each.tables for row in table.rows if row.is_primary)
    return [row.model_copy(update={"a": each.a, "b": each.b, "by_query": {}}) for each, row in tested]


class Comparer:
    """Experiments by design and number of systems, each a folder that is written once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: dict[tuple[Design, int], tuple[Path, Definition]] = {}

    def __call__(self, design: Design, values: Numbers) -> list[ComparedRow]:
        """What `compare` finds where systems have these values."""
        if (place := (design, len(values))) not in self._made:
            folder, definition = self.folder / str(len(self._made)), definition_of(*place)
            folder.mkdir()
            write_definition(folder, definition)
            self._made[place] = folder, definition
        folder, definition = self._made[place]
        gathered = exchanged(definition, values)
        with patch.object(comparing, "gather", lambda *_: gathered):
            return rows_of(folder)

    def check(self, rng: Random) -> None:
        """Raises if a written experiment of any shape does not come to what the same values come to."""
        design = Design.of(10, 2)
        for shape in SHAPES:
            values = np.round(np.clip(drawn(rng, shape, design, 2)[0], 0, 1) * 2 * POINTS) / (2 * POINTS)
            values[1, 3] = np.nan
            reports = [[report_of(value) if value == value else None for value in system] for system in values.tolist()]
            written = rows_of(write(self.folder / shape, design, reports, FAITHFULNESS))
            if not written or written != self(design, values):
                raise AssertionError(f"{shape}: {written} where it is written, {self(design, values)} where exchanged")


# The tables

WRONG, HOLDS, APART = 0.06, 0.93, 0.05
Shares = Mapping[str, Sequence[bool]]
FACTORS: dict[str, Sequence[Any]] = {
    "shape": list(SHAPES),
    "queries": [10, 20, 50, 100],
    "queries a user": [1, 3, 5],
    "systems": [2, 6, 12],
    "failed runs": ["none", "by question", "by user"],
}
DESIGNS = [Design.of(queries, each) for queries in FACTORS["queries"] for each in FACTORS["queries a user"]]
SIZES = (*map(Design.of, FACTORS["queries"]), FIFTY)


def came_to(rows: Sequence[ComparedRow], truth: float = 0.0) -> Iterator[tuple[str, bool]]:
    """What an experiment's rows say: the second system differs from the first by the truth, and no other does."""
    reports = [row for row in rows if row.variant == FP]
    yield "lead shown", reports[0].outcome == "higher"
    if any(row.p is not None for row in reports):  # else there are too few users, or too many runs failed
        yield "anything concluded", any(row.is_shown for row in reports)
    yield "failures concluded", any(row.is_shown for row in rows if row.variant != FP)
    for row in reports:
        if row.p is not None and row.ci_low is not None and row.ci_high is not None:
            yield "interval holds", row.ci_low <= truth * (row is reports[0]) <= row.ci_high


def counted(shares: Shares) -> str:
    concluded = share(shares["anything concluded"], most=WRONG)
    held = share(shares["interval holds"], least=HOLDS)
    return f"{concluded:>20}{held:>20}{share(shares['failures concluded']):>20}"


def equal(compare: Comparer, rng: Random, rounds: int) -> Iterator[tuple[str, str]]:
    """Equal systems, each round of another kind; each level is counted over all levels of the other factors.

    Something is concluded, of the experiments that test anything: from reports, which is wrong. From failures it is
    right: 5 % of the runs of all systems but the first fail.
    """
    yield f"wanted: ≤ {WRONG}, ≥ {HOLDS}", f"{'anything concluded':>20}{'interval holds':>20}{'failures concluded':>20}"
    shares: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for _ in range(4 * rounds):  # each level has a part of them
        kind = {factor: levels[int(rng.integers(len(levels)))] for factor, levels in FACTORS.items()}
        shape, queries, each, systems, how = kind.values()
        design = Design.of(queries, each)
        values = drawn(rng, shape, design, systems)[0]
        if how != "none":
            values = failing(rng, values, design.groups if how == "by user" else range(queries))
        for what, held in came_to(compare(design, values)):
            for place in ("all", *(f"{factor} {level}" for factor, level in kind.items())):
                shares[place][what].append(held)
    for place in ("all", *(f"{factor} {level}" for factor, levels in FACTORS.items() for level in levels)):
        yield place, counted(shares[place])


def steady(rng: Random, design: Design) -> Numbers:
    """Equal means: 0 in 5 % of one system's reports, and all its others so much higher."""
    values = 0.8 + 0.02 * latent(rng, 1, 2, design)[0]
    values[1] = np.where(rng.random(len(design.groups)) < FAILED, 0, values[1] / (1 - FAILED))
    return values


def perfect(rng: Random, design: Design) -> Numbers:
    """One system is always right, the other in nine of ten."""
    values = (latent(rng, 1, 2, design)[0] < ndtri(0.9)).astype(np.float64)
    values[0] = 1
    return values


def unlike(compare: Comparer, rng: Random, rounds: int) -> Iterator[tuple[str, str]]:
    """Two systems that spread in different ways: nothing is promised, and shares are printed as they come."""
    yield "", f"{'anything concluded':>20}{'interval holds':>20}"
    for make, truth in ((steady, 0.0), (perfect, -0.1)):
        for design in SIZES[:-1]:
            shares: dict[str, list[bool]] = defaultdict(list)
            for _ in range(max(1, rounds // 5)):
                for what, held in came_to(compare(design, make(rng, design)), truth):
                    shares[what].append(held)
            cells = (share(shares["anything concluded"]), share(shares["interval holds"]))
            yield f"{make.__name__}, {design.name}", "".join(f"{cell:>20}" for cell in cells)


def t_of_users(apart: Numbers, design: Design) -> Numbers:
    """p of a paired t test of users' means, by round."""
    groups = np.array(design.groups)
    users = np.stack([apart[..., groups == user].mean(axis=-1) for user in range(design.users)], axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = users.mean(axis=-1) / (users.std(axis=-1, ddof=1) / design.users**0.5)
    return np.where(np.isnan(t), 1.0, 2 * stdtr(design.users - 1, -np.abs(t)))


def power(compare: Comparer, rng: Random, rounds: int) -> Iterator[tuple[str, str]]:
    """How often a true lead is concluded : by a paired t test of users' means under the same correction."""
    yield f"wanted: {APART} apart at most", "".join(f"{design.name:>28}" for design in SIZES[1:])
    for shape, lead, systems in (
        (shape, lead, systems) for shape in SHAPES for lead in (0.1, 0.2) for systems in (2, 6)
    ):
        cells: list[str] = []
        for design in SIZES[1:]:
            shares: dict[str, list[bool]] = defaultdict(list)
            for values in drawn(rng, shape, design, systems, max(1, rounds // 20), lead):
                rows = compare(design, values)
                for what, held in came_to(rows, lead):
                    shares[what].append(held)
                tests = [float(t_of_users(values[at] - values[0], design)) for at in range(1, systems)]
                adjusted = holm([*tests, *[1.0] * (rows[0].tests - len(tests))])[0]
                shares["t"].append(
                    adjusted is not None and adjusted <= LEVEL and bool(values[1].mean() > values[0].mean())
                )
            ours, peer = float(np.mean(shares["lead shown"])), float(np.mean(shares["t"]))
            mark = "!" if abs(ours - peer) > APART else " "
            cells.append(f"{ours:.2f} : {peer:.2f}{mark} {share(shares['interval holds'], HOLDS)}")
        yield f"{shape} +{lead:.2f}, {systems} systems", "".join(f"{cell:>28}" for cell in cells)


@cache
def true_queries(shape: str, each: int, simulated: int) -> int:
    """As many queries as let a t test of two systems show .10 in 80 % of simulated experiments."""
    users, away = 40.0, ndtri(1 - LEVEL / 2)
    for seed in range(6):
        design = Design.of(max(3, round(users)) * each, each)
        values = drawn(np.random.default_rng([11, seed]), shape, design, 2, simulated, 0.1)
        shown = np.clip((t_of_users(values[:, 1] - values[:, 0], design) <= LEVEL).mean(), 0.05, 0.999)
        users = design.users * float(((away + ndtri(POWER)) / (away + ndtri(shown))) ** 2)
    return round(users * each)


def needed(compare: Comparer, rng: Random, rounds: int) -> Iterator[tuple[str, str]]:
    """The median of the queries that are said to show .10 : those that do, and how often the range holds them."""
    yield "wanted: a third off, ≥ .80", "".join(f"{design.name:>24}" for design in SIZES)
    for shape in SHAPES:
        cells: list[str] = []
        for design in SIZES:
            truth = true_queries(shape, round(len(design.groups) / design.users), min(2000, 50 * rounds))
            values = drawn(rng, shape, design, 2, max(1, rounds // 10), 0.1)
            rows = [row for each in values for row in compare(design, each) if row.n_needed is not None]
            median = float(np.median([row.n_needed or 0 for row in rows]))
            held = [(row.n_needed_low or 0) <= truth <= (row.n_needed_high or 0) for row in rows if row.n_needed_low]
            mark = "!" if design.users >= 50 and abs(median / truth - 1) > 1 / 3 else " "
            cells.append(f"{median:.0f} : {truth}{mark} {share(held, 0.8)}")
        yield shape, "".join(f"{cell:>24}" for cell in cells)


def means(compare: Comparer, rng: Random, rounds: int) -> Iterator[tuple[str, str]]:
    """How often the interval of one system's mean holds it, where there are users enough for one."""
    designs = [design for design in DESIGNS if design.users >= FEWEST]
    yield f"wanted: ≥ {HOLDS}", "".join(f"{design.name:>14}" for design in designs)
    for shape in SHAPES:
        truth = float(drawn(np.random.default_rng(3), shape, Design.of(200), 1, 1000).mean())
        make: Callable[[Sequence[float], Groups], Interval] = mean_interval if shape == "normal" else share_interval
        cells: list[str] = []
        for design in designs:
            values = np.clip(drawn(rng, shape, design, 1, max(1, rounds // 3))[:, 0], 0, 1).tolist()
            ends = [(found.low, found.high) for found in (make(each, design.groups) for each in values)]
            cells.append(
                share([low <= truth <= high for low, high in ends if low is not None and high is not None], HOLDS)
            )
        yield shape, "".join(f"{cell:>14}" for cell in cells)


def ranks(compare: Comparer, rng: Random, rounds: int) -> Iterator[tuple[str, str]]:
    """How often the interval of a strength (Bradley and Terry) holds it, where half of all results are ties."""
    designs = (Design.of(20), Design.of(60, 3), Design.of(35), Design.of(50))
    yield "wanted: .93 to .97", "".join(f"{design.name:>14}" for design in designs)
    for systems in (2, 3, 6):
        names, lead = [f"s{at:02}" for at in range(systems)], np.linspace(0.8, -0.8, systems)
        pairs = [(i, j, float(1 / (1 + np.exp(lead[j] - lead[i])))) for i, j in combinations(range(systems), 2)]
        endless = [Contest(f"q{at}", names[i], names[j], 0.25 + it / 2) for i, j, it in pairs for at in range(100)]
        truths = {name: strength.interval.value or 0.0 for name, strength in strengths(names, endless).items()}
        cells: list[str] = []
        for design in designs:
            clusters, held = Clusters({f"q{at}": str(user) for at, user in enumerate(design.groups)}), list[bool]()
            for _ in range(max(1, rounds // 5)):
                won = np.stack([latent(rng, 1, 1, design)[0, 0] < ndtri(chance) for _, _, chance in pairs])
                results = np.where(rng.random(won.shape) < 0.5, 0.5, won).tolist()
                contests = [
                    Contest(f"q{at}", names[i], names[j], result)
                    for (i, j, _), row in zip(pairs, results, strict=True)
                    for at, result in enumerate(row)
                ]
                for name, strength in strengths(names, contests, clusters).items():
                    low, high = strength.interval.low, strength.interval.high
                    held += [] if low is None or high is None else [low <= truths[name] <= high]
            cells.append(share(held, 0.93, 0.97))
        yield f"{systems} systems", "".join(f"{cell:>14}" for cell in cells)


def lengths(compare: Comparer, rng: Random, rounds: int) -> Iterator[tuple[str, str]]:
    """The win rate between reports of one length, on disk: crashed runs beside long reports must not move it."""
    reports = [
        ["word " * words + "good " * good for words, good in rng.integers([20, 0], [60, 3], (24, 2))] for _ in "ab"
    ]
    rates: list[float | None] = []
    for crashes in (0, 8):
        both = [reports[0] + ["word " * 200] * crashes, reports[1] + [None] * crashes]
        folder = write(compare.folder / f"crashes-{crashes}", Design.of(24 + crashes), both, PAIRWISE)
        (comparison,) = comparing.compare_recorded(folder, metrics=[PAIRWISE])
        rates += [row.length_controlled.value for row in comparison.pairs if row.dimension == PRIMARY]
        yield f"{crashes} of {24 + crashes} runs crash", f"{rates[-1] or 0.0:.4f}{'' if rates[-1] == rates[0] else '!'}"


def failures(compare: Comparer, rng: Random, rounds: int) -> Iterator[tuple[str, str]]:
    """Of equal systems one crashes on its worst reports; and a true lead of .135 where both fail on 3 % by chance."""
    yield "wanted: ≤ .06, ≥ .80", f"{'crasher above':>20}{'where both answered':>20}{'true lead shown':>20}"
    for queries in (50, 120):
        design, shares = Design.of(queries), dict[str, list[bool]](above=[], answered=[], lead=[])
        for _ in range(max(1, rounds // 4)):
            values = drawn(rng, "like FP", design, 2)[0]
            worst = np.argsort(values[1])[: round(0.08 * queries)]
            values[1, worst] = np.nan
            row = next(row for row in compare(design, values) if row.variant == FP)
            shares["above"].append(row.outcome == "higher")
            shares["answered"].append(row.outcome == "answered")
            values = drawn(rng, "like FP", design, 2, lead=0.135)[0]
            values = np.where(rng.random(values.shape) < 0.03, np.nan, values)
            row = next(row for row in compare(design, values) if row.variant == FP)
            shares["lead"].append(row.outcome == "higher")
        limits = ({"most": WRONG}, {}, {"least": 0.8 if queries == 120 else 0.0})
        cells = (share(shares[name], **limit) for name, limit in zip(shares, limits, strict=True))
        yield design.name, "".join(f"{cell:>20}" for cell in cells)


TABLES = (equal, unlike, power, needed, means, ranks, lengths, failures)


def main() -> None:
    parser = rounds_parser(__doc__)
    tables, of_gates = {table.__name__: table for table in TABLES}, {table.__name__: table for table in OF_GATES}
    names = [*tables, *of_gates]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="TABLE")
    parser.add_argument("--cell", default="", help="only the rows whose name holds these words")
    args = parser.parse_args()
    figures: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        compare = Comparer(Path(folder))
        compare.check(np.random.default_rng(args.seed))
        for name in args.only:
            print(f"\n{inspect.getdoc(tables.get(name) or of_gates[name])}", flush=True)
            figures[name] = {}
            rng = np.random.default_rng(args.seed)
            given = rng, args.rounds
            made = tables[name](compare, *given) if name in tables else of_gates[name](*given, args.cell)
            for place, cells in made:
                print(f"{place:30}{cells}", flush=True)
                figures[name][place] = " ".join(cells.split())
    hold(all(figures.values()), "each table has rows")
    keep(args.json, figures)


if __name__ == "__main__":
    main()
