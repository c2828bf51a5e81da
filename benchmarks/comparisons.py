"""How often `compare` is right about systems whose truth is known: simulated verdicts through the code that it runs.

    PYTHONPATH=. python benchmarks/comparisons.py [--rounds 4000] [--only equal power] [--seed 7] [--json FILE]

An experiment is one call of ``compare_recorded`` on a folder whose reports are judged for FP; only what was read of
the verdicts is exchanged for drawn values. First of all, one folder of each shape is written with all its runs, judged
by a script and compared as it is: what comes of it must equal what comes of the same values exchanged. The tables:

equal       systems that do not differ: how often anything is concluded, and how often intervals hold the truth
zeros       the same where one system's scores are steady and the other's are 0 in one report of twenty
power       one system ahead by .10 or .20, beside a paired t test of users' means under the same correction
needed      how many queries are said to show .10, beside how many do
means       intervals of single systems' means
preferences strengths of Bradley and Terry, and the win rate at equal length where runs crash
"""

import asyncio
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from math import nan
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from unittest.mock import patch

import numpy as np
from figures import keep, rounds_parser
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr
from scipy.stats import beta

from drretail.eval.claims.claims import FAITHFULNESS
from drretail.eval.compare import comparing
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.judging.session import Judge
from drretail.eval.metric import Value
from drretail.eval.metrics.faithfulness import FP
from drretail.eval.registry import PAIRWISE, load_metrics
from drretail.eval.scores.board import Board
from drretail.eval.scores.gathering import Assessor, Gathered, JudgedRun, Plan, TableKey
from drretail.eval.scoring import score
from drretail.experiment import Definition, Experiment, write_definition
from drretail.grounding.report.citations import find_citations
from drretail.llm.scripted import Request, ScriptedAnswer, scripted_model
from drretail.progress import Progress
from drretail.querygen.reading import shipped_queries
from drretail.records.base import sha256_of
from drretail.records.comparison import ComparedRow
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.query import Query
from drretail.records.run import Run, RunError, System
from drretail.run_file import Recorded
from drretail.stats.intervals import FEWEST, Clusters, Groups, Interval, mean_interval, numbered, share_interval
from drretail.stats.ranking import Contest, fit, strengths
from drretail.stats.significance import LEVEL, holm

Numbers = NDArray[np.float64]
Truths = NDArray[np.bool_]
ALIKE = 0.3
"""Share of a query in the variance of values, and of a user in what is left of it to each system."""
FAILED = 0.05


class Design(NamedTuple):
    """Queries by the number of their user."""

    name: str
    groups: Groups

    @classmethod
    def of(cls, queries: int, each: int = 1) -> "Design":
        return cls(
            f"{queries}" if each == 1 else f"{queries}, {each} a user", tuple(at // each for at in range(queries))
        )

    @property
    def users(self) -> int:
        return max(self.groups) + 1


FIFTY = Design("shipped fifty", numbered(query.user_id for query in shipped_queries()))


# --- values -------------------------------------------------------------------------------------------------------------
_GRID = np.linspace(-6, 6, 4001)
Shape = Callable[[np.random.Generator, Numbers, float], Numbers]
"""The values of one system, whose mean is to be this, from normal ones."""


def latent(rng: np.random.Generator, rounds: int, systems: int, design: Design) -> Numbers:
    """Normal values by round, system and query; those of one user and those of one query are alike."""
    users = rng.standard_normal((rounds, systems, design.users))[..., list(design.groups)]
    own = ALIKE**0.5 * users + (1 - ALIKE) ** 0.5 * rng.standard_normal(users.shape)
    return ALIKE**0.5 * rng.standard_normal((rounds, 1, len(design.groups))) + (1 - ALIKE) ** 0.5 * own


def normal(_: np.random.Generator, values: Numbers, mean: float) -> Numbers:
    return mean + 0.15 * values


def binary(_: np.random.Generator, values: Numbers, mean: float) -> Numbers:
    return (values < ndtri(mean)).astype(np.float64)


def skewed(_: np.random.Generator, values: Numbers, mean: float) -> Numbers:
    """Most near the best, with an exponential tail downwards."""
    return mean + 0.2 + 0.2 * np.log(ndtr(values))


def claims(rng: np.random.Generator, values: Numbers, mean: float) -> Numbers:
    """FP of 1 to 6 claims, each borne out, half borne out or not: few halves and thirds, and many reports at 1."""
    quality = np.interp(values, _GRID, _qualities(mean))
    count = rng.integers(1, 7, values.shape)
    full = rng.binomial(count, np.clip(quality, 0, 1))
    return (full + rng.binomial(count - full, 0.4) / 2) / count


@cache
def _qualities(mean: float) -> Numbers:
    """How often claims are fully borne out, by the normal value: two fifths of all others are so by half."""
    borne_out = (mean - 0.2) / 0.8
    return beta.ppf(ndtr(_GRID), 3 * borne_out, 3 - 3 * borne_out)


SHAPES: dict[str, Shape] = {"normal": normal, "binary": binary, "skewed": skewed, "like FP": claims}
MEAN, FIRST = 0.6, "s00"


def drawn(
    rng: np.random.Generator, shape: str, design: Design, systems: int, rounds: int = 1, lead: float = 0.0
) -> Numbers:
    """Values by round, system and query; the second system is ahead."""
    values = latent(rng, rounds, systems, design)
    means = (MEAN + lead * (at == 1) for at in range(systems))
    return np.stack([SHAPES[shape](rng, values[:, at], mean) for at, mean in enumerate(means)], axis=1)


def failing(rng: np.random.Generator, how: str, design: Design, systems: int) -> Truths:
    """By system and query, which runs fail: never the first system's, which is the baseline."""
    groups = list(design.groups) if how == "by user" else list(range(len(design.groups)))
    failed = rng.random((systems, max(groups) + 1))[:, groups] < (0.0 if how == "none" else FAILED)
    failed[0] = False
    return failed


# --- an experiment, written and judged, or exchanged --------------------------------------------------------------------
POINTS = 20
SUPPORT = ("no_support", "partial_support", "full_support")
RECORD = '{"product_id": "B0BED00001", "title": "Bed", "features": ["It is a bed for dogs of all sizes"]}'
BED = Evidence(
    id="P:B0BED00001",
    kind="product",
    key="B0BED00001",
    title="Bed",
    texts=(EvidenceText(sha256=sha256_of(RECORD), form="record", text=RECORD, shown=True, path="0", seq=0),),
)


def read_aloud(request: Request) -> ScriptedAnswer:
    """A judge that takes each sentence for a claim, and its support from its words; it prefers long reports, and good ones."""
    asked = request.messages[0].text
    if request.schema == "Comparison":
        first, second = (
            len(report.split()) + 40 * report.count("good")
            for report in re.findall(r'<report name="[AB]">\n(.*?)\n</report>', asked, re.DOTALL)
        )
        return ScriptedAnswer(structured={"justification": "So.", "winner": "A" if first > second else "B"})
    if ruled := re.findall(r'<claim id="(\d+)"[^>]*>\s*Point \d+ has (\w+)', asked):
        quotes = {label: [] if label == SUPPORT[0] else [RECORD[:60]] for label in SUPPORT}
        support = [
            {"claim_id": int(number), "quotes": quotes[label], "justification": "So.", "label": label}
            for number, label in ruled
        ]
        return ScriptedAnswer(structured={"claims": support})
    sentences = re.findall(r"Point \d+ has \w+", re.findall(r"<report>\n(.*?)\n</report>", asked, re.DOTALL)[-1])
    read = [
        {"claim_id": number, "claim": words, "quote": words, "sources": [BED.id], "values": []}
        for number, words in enumerate(sentences, 1)
    ]
    return ScriptedAnswer(structured={"claims": read, **({"picks": []} if request.schema == "ClaimsAndPicks" else {})})


JUDGE = Judge.of(scripted_model(play=read_aloud, name="reader", kind="llm"))


def report_of(value: float) -> str:
    """A report whose FP is the value, a multiple of half a point."""
    full, half = divmod(round(value * POINTS * 2), 2)
    labels = [SUPPORT[2]] * full + [SUPPORT[1]] * half + [SUPPORT[0]] * (POINTS - full - half)
    return " ".join(f"Point {number} has {label} [{BED.id}]." for number, label in enumerate(labels, 1))


def definition_of(design: Design, systems: int) -> Definition:
    queries = [
        Query(query_id=f"q{at:03}", text="Which bed?", source="simulated", user_id=f"u{user:03}")
        for at, user in enumerate(design.groups)
    ]
    labels = [f"s{at:02}" for at in range(systems)]
    return Definition(queries=tuple(queries), systems={label: System(agent=label, models={}) for label in labels})


def write(folder: Path, design: Design, reports: Mapping[str, Sequence[str | None]], metric: str) -> None:
    """An experiment with these reports of each system, judged; None is a run that failed."""
    definition = definition_of(design, len(reports))
    with Experiment(folder, definition) as opened:
        for label, texts in reports.items():
            for query, text in zip(definition.queries, texts, strict=True):
                about: dict[str, Any] = {"query_id": query.query_id, "repeat": 1, "system": label}
                if text is None:
                    problem = RunError(kind="no_report", where=label, message="none")
                    about |= {"status": "failed", "stop": "error", "error": problem}
                else:
                    citations = tuple(find_citations(text, {BED.id: BED}))
                    about |= {"status": "done", "stop": "finished", "report": text, "citations": citations}
                    about |= {"report_sha": sha256_of(text)}
                run = Run(run_id=f"{label}/{query.query_id}-r1", user_id=query.user_id, **about)
                opened.save(Recorded(run, (BED,), {}, {}))
    asyncio.run(score(folder, [metric], [JUDGE], progress=Progress()))


def exchanged(definition: Definition, values: Numbers, failed: Truths) -> Gathered:
    """What is read of an experiment whose reports have these values, by system and query."""
    plans: list[Plan] = []
    judged: dict[str, JudgedRun] = {}
    for label, of_system, lost in zip(definition.systems, values.tolist(), failed.tolist(), strict=True):
        for query, value, is_lost in zip(definition.queries, of_system, lost, strict=True):
            run_id = f"{label}/{query.query_id}-r1"
            status = "failed" if is_lost else "done"
            plans.append(Plan(label, query, 1, run_id, None if is_lost else "sha", words=1 - is_lost, status=status))
            if not is_lost:
                judged[run_id] = JudgedRun(query.query_id, {FP: Value(FP, "scored", value)}, verdicts=1)
    metrics = {metric.name: metric for metric in load_metrics([FAITHFULNESS])}
    key = TableKey(FAITHFULNESS, Assessor(JUDGE.ref, "default"))
    return Gathered(definition, metrics, tuple(plans), {key: judged}, Board(judge=(JUDGE.ref.key,)))


class Comparer:
    """Experiments by design and number of systems, each a folder that is written once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[tuple[Design, int], tuple[Path, Definition]] = {}

    def __call__(self, design: Design, values: Numbers, failed: Truths | None = None) -> list[ComparedRow]:
        """What `compare` finds in FP and in failures, where systems have these values."""
        if (place := (design, len(values))) not in self._made:
            folder = self._folder / str(len(self._made))
            folder.mkdir()
            definition = definition_of(*place)
            write_definition(folder, definition)
            self._made[place] = folder, definition
        folder, definition = self._made[place]
        gathered = exchanged(definition, values, np.zeros(values.shape, np.bool_) if failed is None else failed)
        with patch.object(comparing, "read_judgements", lambda *_: gathered):
            return rows_of(folder)

    def check(self, rng: np.random.Generator) -> None:
        """Raises where a written experiment of any shape does not come to what the same values come to."""
        design = Design.of(10, 2)
        for at, shape in enumerate(SHAPES):
            values = np.round(np.clip(drawn(rng, shape, design, 2)[0], 0, 1) * 2 * POINTS) / (2 * POINTS)
            failed = np.zeros(values.shape, np.bool_)
            failed[1, 3] = True
            texts = [
                [None if lost else report_of(value) for value, lost in zip(*both, strict=True)]
                for both in zip(values.tolist(), failed.tolist(), strict=True)
            ]
            reports = dict(zip(definition_of(design, 2).systems, texts, strict=True))
            folder = self._folder / f"written-{at}"
            write(folder, design, reports, FAITHFULNESS)
            written, made = rows_of(folder), self(design, values, failed)
            if not written or written != made:
                raise AssertionError(f"{shape}: written {written}, exchanged {made}")

    def rates_at_equal_length(self) -> list[float | None]:
        """Of a judge that prefers longer reports, without crashed runs and with some more of either length."""
        rng, rates = np.random.default_rng(5), list[float | None]()
        reports = {
            label: ["word " * words + "good " * good for words, good in rng.integers([20, 0], [60, 3], (24, 2))]
            for label in ("s00", "s01")
        }
        for crashed in (0, 8):
            held = {
                "s00": [*reports["s00"], *(["word " * 200] * crashed)],
                "s01": [*reports["s01"], *([None] * crashed)],
            }
            folder = self._folder / f"lengths-{crashed}"
            write(folder, Design.of(24 + crashed), held, PAIRWISE)
            (comparison,) = comparing.compare_recorded(folder, metrics=[PAIRWISE])
            rates += [row.length_controlled.value for row in comparison.pairs if row.dimension == PRIMARY]
        return rates


def rows_of(experiment: Path) -> list[ComparedRow]:
    """The tested rows of all pairs that are compared."""
    return [
        row.model_copy(update={"a": comparison.a, "b": comparison.b, "by_query": {}})
        for comparison in comparing.compare_recorded(experiment, metrics=[FAITHFULNESS])
        for table in comparison.tables
        for row in table.rows
        if row.is_primary
    ]


def is_concluded(row: ComparedRow) -> bool:
    return row.outcome in ("higher", "lower")


# --- tables -------------------------------------------------------------------------------------------------------------
@dataclass
class Share:
    """How often something holds, with its simulation error."""

    held: int = 0
    counted: int = 0

    def add(self, held: bool) -> None:
        self.held += held
        self.counted += 1

    @property
    def share(self) -> float:
        return self.held / self.counted if self.counted else nan

    def __str__(self) -> str:
        return f"{self.share:.3f}±{(self.share * (1 - self.share) / max(1, self.counted)) ** 0.5:.3f}"


@dataclass
class Tally:
    """What experiments came to."""

    any: Share = field(default_factory=Share)
    """Of experiments: anything is concluded from reports."""
    failures: Share = field(default_factory=Share)
    """The same from failures."""
    held: Share = field(default_factory=Share)
    """Of intervals of what is tested: they hold the truth."""
    shown: Share = field(default_factory=Share)
    """Of experiments: the system that is ahead is found above the first."""

    HEADS: ClassVar[str] = f"{'any conclusion':>16}{'interval holds':>16}{'of failures':>16}"

    def add(self, rows: Sequence[ComparedRow], truth: float, ahead: str = "s01") -> None:
        """Counts an experiment's rows, where this system's difference from the first is the truth."""
        reports = [row if row.a == FIRST else row.turned for row in rows if row.variant == FP]
        self.any.add(any(map(is_concluded, reports)))
        self.failures.add(any(is_concluded(row) for row in rows if row.variant != FP))
        for row in reports:
            if row.a == FIRST and row.p is not None and row.ci_low is not None and row.ci_high is not None:
                self.held.add(row.ci_low <= -truth * (row.b == ahead) <= row.ci_high)
        self.shown.add(any(row.outcome == "lower" for row in reports if {row.a, row.b} == {FIRST, ahead}))

    def __str__(self) -> str:
        return "".join(f"{share!s:>16}" for share in (self.any, self.held, self.failures))

    @property
    def figures(self) -> dict[str, float]:
        return {name: getattr(self, name).share for name in ("any", "held", "failures")}


DESIGNS = [Design.of(queries, each) for queries in (10, 20, 50, 100) for each in (1, 3, 5)]
FACTORS: dict[str, Sequence[Any]] = {
    "shape": list(SHAPES),
    "queries": [10, 20, 50, 100],
    "queries a user": [1, 3, 5],
    "systems": [2, 6, 12],
    "failed runs": ["none", "by question", "by user"],
}
WRONG, WANTED, APART = 0.06, 0.93, 0.05


def equal(compare: Comparer, rng: np.random.Generator, rounds: int) -> dict[str, Any]:
    """Experiments of all kinds in turn; each kind's level is counted over all levels of the others."""
    tallies = {(factor, level): Tally() for factor, levels in {"all": [""], **FACTORS}.items() for level in levels}
    for _ in range(rounds):
        drawn_levels = {factor: levels[rng.integers(len(levels))] for factor, levels in FACTORS.items()}
        shape, queries, each, systems, failed_how = drawn_levels.values()
        design = Design.of(queries, each)
        failed = failing(rng, failed_how, design, systems)
        rows = compare(design, drawn(rng, shape, design, systems)[0], failed)
        for place in [("all", ""), *drawn_levels.items()]:
            tallies[place].add(rows, 0.0)
    print(f"Equal systems, {rounds:,} experiments; wanted: any conclusion ≤ {WRONG}, held ≥ {WANTED}")
    print(f"{'':30}{Tally.HEADS}")
    for (factor, level), tally in tallies.items():
        print(f"{f'{factor} {level}':30}{tally}", flush=True)
    return {f"{factor} {level}": tally.figures for (factor, level), tally in tallies.items()}


def zeros(compare: Comparer, rng: np.random.Generator, rounds: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    print(f"\nSteady scores, of one system with 0 in {FAILED:.0%} of its reports and as much more in all others")
    print(f"{'':30}{Tally.HEADS}")
    for queries in FACTORS["queries"]:
        design, tally = Design.of(queries), Tally()
        for _ in range(rounds // 10):
            values = 0.8 + 0.02 * latent(rng, 1, 2, design)[0]
            values[1] = np.where(rng.random(queries) < FAILED, 0, values[1] / (1 - FAILED))
            tally.add(compare(design, values), 0.0)
        figures[str(queries)] = tally.figures
        print(f"{f'{queries} queries':30}{tally}", flush=True)
    return figures


def power(compare: Comparer, rng: np.random.Generator, rounds: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    print(f"\nA true lead is concluded : by a paired t test of users' means; wanted: at most {APART} apart")
    print(f"{'':34}" + "".join(f"{name:>24}" for name in ("20", "50", "100", FIFTY.name)))
    for shape in SHAPES:
        for systems in (2, 6):
            for lead in (0.1, 0.2):
                cells: list[str] = []
                for design in (*map(Design.of, (20, 50, 100)), FIFTY):
                    truth = truth_of(shape, lead)
                    tally, peer = Tally(), Share()
                    for values in drawn(rng, shape, design, systems, max(2, rounds // 20), lead):
                        rows = compare(design, values)
                        tally.add(rows, truth, ahead="s01")
                        peer.add(peer_concludes(rows, values, design))
                    name = f"{shape} +{lead:.2f}, {systems} systems, {design.name}"
                    figures[name] = {"ours": tally.shown.share, "t": peer.share, "held": tally.held.share}
                    off = "!" if abs(tally.shown.share - peer.share) > APART else " "
                    cells.append(f"{tally.shown.share:.2f}:{peer.share:.2f}{off} held {tally.held.share:.2f}")
                print(f"{f'{shape} +{lead:.2f}, {systems} systems':34}" + "".join(f"{cell:>24}" for cell in cells))
    return figures


@cache
def truth_of(shape: str, lead: float) -> float:
    """The true difference, which the shape's rounding moves a little."""
    values = drawn(np.random.default_rng(3), shape, Design.of(200), 2, 500, lead).mean(axis=(0, 2))
    return float(values[1] - values[0])


def t_of_users(apart: Numbers, design: Design) -> Numbers:
    """p of a t test of users' mean differences, by round."""
    groups = np.array(design.groups)
    users = np.stack([apart[..., groups == user].mean(axis=-1) for user in range(design.users)], axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = users.mean(axis=-1) / (users.std(axis=-1, ddof=1) / design.users**0.5)
    return np.where(np.isnan(t), 1.0, 2 * stdtr(design.users - 1, -np.abs(t)))


def peer_concludes(rows: Sequence[ComparedRow], values: Numbers, design: Design) -> bool:
    """Whether the t test concludes that the second system is above the first, under the correction of these rows."""
    pairs = [(row.a, row.b) for row in rows if row.variant == FP]
    places = [tuple(int(label[1:]) for label in pair) for pair in pairs]
    tested = [float(t_of_users(values[a] - values[b], design)) for a, b in places]
    tests = max(row.tests for row in rows)
    adjusted = holm(tested + [1.0] * (tests - len(tested)))
    at = next(at for at, place in enumerate(places) if {*place} == {0, 1})
    return (adjusted[at] or 0) <= LEVEL and values[1].mean() > values[0].mean()


def needed(compare: Comparer, rng: np.random.Generator, rounds: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    print("\nQueries that show .10: median of those said, those that do, and how often the range holds them")
    print("(wanted: from 50 users on within a third; below, the range holds in .80)")
    designs = (*map(Design.of, (10, 20, 50, 100)), FIFTY)
    print(f"{'':16}" + "".join(f"{design.name:>26}" for design in designs))
    for shape in SHAPES:
        cells: list[str] = []
        for design in designs:
            truth = true_queries(shape, round(len(design.groups) / design.users))
            numbers: list[int] = []
            held = Share()
            for values in drawn(rng, shape, design, 2, max(2, rounds // 20), 0.1):
                for row in compare(design, values):
                    if row.variant == FP and row.n_needed is not None:
                        numbers.append(row.n_needed)
                        if row.n_needed_low is not None and row.n_needed_high is not None:
                            held.add(row.n_needed_low <= truth <= row.n_needed_high)
            median = float(np.median(numbers)) if numbers else nan
            figures[f"{shape}, {design.name}"] = {"said": median, "true": truth, "held": held.share}
            off = "!" if design.users >= 50 and abs(median / truth - 1) > 1 / 3 else " "
            cells.append(f"{median:.0f}:{truth}{off} {held.share:.2f}")
        print(f"{shape:16}" + "".join(f"{cell:>26}" for cell in cells), flush=True)
    return figures


@cache
def true_queries(shape: str, each: int) -> int:
    """As many queries as let a t test of two systems show .10 in 80 % of simulated experiments."""
    users = 40.0
    for seed in range(6):
        design = Design.of(max(3, round(users)) * each, each)
        values = drawn(np.random.default_rng([11, seed]), shape, design, 2, 4000, 0.1)
        shown = float((t_of_users(values[:, 1] - values[:, 0], design) <= LEVEL).mean())
        away = ndtri(1 - LEVEL / 2)
        users = design.users * float(((away + ndtri(0.8)) / (away + ndtri(np.clip(shown, 0.05, 0.999)))) ** 2)
    return round(users * each)


def means(_: Comparer, rng: np.random.Generator, rounds: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    print(f"\nIntervals of one system's mean hold it; wanted: {WANTED} or more")
    print(f"{'':16}" + "".join(f"{design.name:>16}" for design in DESIGNS if design.users >= FEWEST))
    for shape in SHAPES:
        truth = float(drawn(np.random.default_rng(3), shape, Design.of(200), 1, 500).mean())
        cells: list[str] = []
        for design in DESIGNS:
            held = Share()
            for values in drawn(rng, shape, design, 1, rounds // 10)[:, 0] if design.users >= FEWEST else ():
                share = shape not in ("normal", "skewed")
                found = (share_interval if share else mean_interval)(values.tolist(), design.groups)
                if found.low is not None and found.high is not None:
                    held.add(found.low <= truth <= found.high)
            if held.counted:
                figures[f"{shape}, {design.name}"] = held.share
                cells.append(f"{held.share:.3f}")
        print(f"{shape:16}" + "".join(f"{cell:>16}" for cell in cells), flush=True)
    return figures


def preferences(compare: Comparer, rng: np.random.Generator, rounds: int) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    print("\nStrengths of Bradley and Terry, half of results ties: their intervals hold the truth; wanted: .93 to .97")
    for systems in (2, 3, 6):
        cells: list[str] = []
        for design in (Design.of(20), Design.of(60, 3), Design.of(35), Design.of(50)):
            held = Share()
            for _ in range(max(2, rounds // 20)):
                for strength, truth in strengths_of(rng, systems, design):
                    held.add(strength.low <= truth <= strength.high)
            figures[f"{systems} systems, {design.name}"] = held.share
            cells.append(f"{design.users} users of {len(design.groups) // design.users}: {held}")
        print(f"{systems} systems:  " + "   ".join(cells), flush=True)
    rates = compare.rates_at_equal_length()
    figures["rates at equal length"] = rates
    print("The win rate at equal length, where 0 and 8 of 32 runs crash: {} and {}".format(*rates))
    return figures


def strengths_of(rng: np.random.Generator, systems: int, design: Design) -> Iterator[tuple[Interval, float]]:
    """The interval of each system's strength, and the strength to which more and more queries lead."""
    names, lead = [f"s{at:02}" for at in range(systems)], np.linspace(0.8, -0.8, systems)
    contests: list[Contest] = []
    wins = np.zeros((systems, systems))
    for i, j in combinations(range(systems), 2):
        chance = float(1 / (1 + np.exp(lead[j] - lead[i])))
        wins[i, j], wins[j, i] = 0.25 + chance / 2, 0.75 - chance / 2
        won = (latent(rng, 1, 1, design)[0, 0] < ndtri(chance)).astype(np.float64)
        won[rng.random(len(won)) < 0.5] = 0.5
        contests += [Contest(f"q{at:03}", names[i], names[j], float(share)) for at, share in enumerate(won)]
    clusters = Clusters({f"q{at:03}": str(user) for at, user in enumerate(design.groups)})
    found = strengths(names, contests, str(rng.integers(1 << 30)), clusters)
    for name, truth in zip(names, fit(1e6 * wins), strict=True):
        yield found[name].interval, float(truth)


TABLES = (equal, zeros, power, needed, means, preferences)


def main() -> None:
    parser = rounds_parser(__doc__)
    parser.add_argument("--only", nargs="+", default=[table.__name__ for table in TABLES])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compare = Comparer(Path(folder))
        compare.check(np.random.default_rng(args.seed))
        chosen = [table for table in TABLES if table.__name__ in args.only]
        keep(
            args.json,
            {table.__name__: table(compare, np.random.default_rng(args.seed), args.rounds) for table in chosen},
        )


if __name__ == "__main__":
    main()
