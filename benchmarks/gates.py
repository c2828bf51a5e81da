"""What `compare` concludes of margins, near the ends of a scale, of judges, and over thirty nights: simulated.

``comparisons.py`` runs these tables with its own: ``python benchmarks/comparisons.py --only margins --cell "FP 0.90"``.
"""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import numpy as np
from drawn_values import FIFTY, SHAPES, Design, Numbers, Random, latent
from figures import share
from scipy.special import ndtri, stdtr

from drretail.eval.numbers.fail_if import CONFIRMED_LEVEL
from drretail.records.reading import CONFIRMED, CONTRADICTED, FLOORS, JudgeAudit, summed
from drretail.stats.intervals import freedom, pooled_ends
from drretail.stats.significance import LEVEL, POWER, margin_ends, queries_needed, spread_when_apart

Rows = Iterator[tuple[str, str]]
CELLS = (("like FP", (0.99, 0.97, 0.95, 0.9, 0.7)), ("binary", (0.98, 0.95, 0.9, 0.6)))
"""Shapes with means; a rate of errors of .02 is one of successes of .98."""
NIGHTS = 30


def chosen(cell: str) -> Iterator[tuple[str, str, float]]:
    """The shapes and means whose name holds these words."""
    for shape, means in CELLS:
        yield from ((name, shape, mean) for mean in means if cell in (name := f"{shape} {mean:.2f}"))


def pairs(rng: Random, shape: str, design: Design, means: tuple[float, float], rounds: int) -> tuple[Numbers, Numbers]:
    """Two systems' values by round and query."""
    values = latent(rng, rounds, 2, design)
    a, b = (SHAPES[shape](rng, values[:, at], mean) for at, mean in enumerate(means))
    return a, b


def p_of_t(apart: Numbers) -> Numbers:
    """p of a paired t test of queries, by round."""
    n = apart.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = apart.mean(axis=1) / (apart.std(axis=1, ddof=1) / n**0.5)
    return np.where(np.isnan(t), 1.0, 2 * stdtr(n - 1, -np.abs(t)))


@cache
def true_queries(shape: str, mean: float, simulated: int) -> int:
    """As many queries as let a t test show a fall of .10 from this mean in 80 % of simulated experiments."""
    queries, away = 40.0, ndtri(1 - LEVEL / 2)
    for seed in range(6):
        design = Design.of(max(3, round(queries)))
        a, b = pairs(np.random.default_rng([11, seed]), shape, design, (mean, mean - 0.1), simulated)
        shown = np.clip((p_of_t(a - b) <= LEVEL).mean(), 0.05, 0.999)
        queries = design.users * float(((away + ndtri(POWER)) / (away + ndtri(shown))) ** 2)
    return round(queries)


def ends(rng: Random, rounds: int, cell: str) -> Rows:
    """Equal systems near an end of the scale: the median of the queries said to show .10 : those that do; the range."""
    designs = [Design.of(queries) for queries in (20, 50, 100)]
    yield "wanted: .8 to 1.5, ≥ .80", "".join(f"{design.name:>26}" for design in designs)
    for name, shape, mean in chosen(cell):
        truth, cells = true_queries(shape, mean, min(3000, 10 * rounds)), list[str]()
        for design in designs:
            said, held = list[int](), list[bool]()
            for a, b in zip(*pairs(rng, shape, design, (mean, mean), max(1, rounds // 6)), strict=True):
                wider = spread_when_apart(0.1, (a.mean(), b.mean()), 1.0)
                needed = queries_needed(0.1, (a - b).round(10).tolist(), design.groups, 1, wider)
                said += [] if needed is None else [needed.queries]
                held += [] if needed is None else [needed.low <= truth <= needed.high]
            ratio = float(np.median(said)) / truth
            mark = "" if 0.8 <= ratio <= 1.5 else "!"
            cells.append(f"{np.median(said):.0f} : {truth}{mark} {share(held, 0.8)}")
        yield name, "".join(f"{each:>26}" for each in cells)


def margins(rng: Random, rounds: int, cell: str) -> Rows:
    """A margin that is the true difference must not be excluded; of equal systems it should be."""
    yield "wanted: ≤ .05", "".join(f"{f'{what}, {n}':>22}" for n in (50, 120, 300) for what in ("level", "power"))
    for name, shape, mean in chosen(cell):
        for margin in (0.05, 0.1):
            cells = list[str]()
            for queries in (50, 120, 300):
                design, shown = Design.of(queries), list[list[bool]]()
                for other in (mean - margin, mean):
                    low_mean = pairs(np.random.default_rng(3), shape, Design.of(300), (mean, other), 400)
                    truth = float((low_mean[1] - low_mean[0]).mean())
                    b, a = pairs(rng, shape, design, (mean, other), max(1, rounds // 4))
                    found = [margin_ends(each.tolist(), design.groups, 1.0) for each in (a - b).round(10)]
                    limit = -truth if other < mean else margin
                    shown.append(
                        [of is not None and of[0] > -limit and (other < mean or of[1] < limit) for of in found]
                    )
                cells += [share(shown[0], most=0.05), share(shown[1])]
            yield f"{name}, margin {margin:.2f}", "".join(f"{each:>22}" for each in cells)


def night(rng: Random, fixed: Numbers, shape: str, mean: float) -> Numbers:
    """Fresh runs of one agent: half of what its answers' quality varies with is the question, half the run."""
    return SHAPES[shape](rng, 0.5**0.5 * (fixed + rng.standard_normal(fixed.shape)), mean)


def fails_at(apart: Numbers, design: Design) -> Numbers:
    """The least level at which a gate of the size .05 fails, by night: ``Gate`` for all nights at once."""
    users = np.eye(design.users)[list(design.groups)]
    means, shares = apart.mean(axis=1, keepdims=True), users.mean(axis=0)
    errors = ((((apart - means) / len(users)) @ users) ** 2 / (1 - shares)).sum(axis=1) ** 0.5
    p = stdtr(freedom(design.groups), means[:, 0] / np.maximum(errors, 1e-9))
    return np.where(-means[:, 0] >= 0.05 - 1e-9, p, 1.0)


def nights(rng: Random, rounds: int, cell: str) -> Rows:
    """Thirty nights of an agent beside a fixed baseline, whose rule's size is .05: alarms with and without --confirm,
    and a true drop (.135 in FP, .20 in shares) that is caught by the second night, also of a baseline of three runs.
    """
    heads = ("false, confirmed", "at 5 %", "unconfirmed", "unconfirmed at 5 %", "drop, 2nd night", "of three runs")
    yield "wanted: ≤ .10, …, ≥ .50, .60", "".join(f"{head:>20}" for head in heads)
    cells_wanted = [
        (f"{name} {mean:.2f}, {design.name}", design, shape, mean, drop, least)
        for name, shape, drop, least in (("FP", "like FP", 0.135, 0.5), ("share", "binary", 0.2, 0.6))
        for mean in (0.7, 0.9)
        for design in (Design.of(50), FIFTY)
    ]
    for name, design, shape, mean, drop, least in (each for each in cells_wanted if cell in each[0]):
        held: dict[str, list[bool]] = {head: [] for head in heads}
        for _ in range(rounds):
            fixed = latent(rng, 1, 1, design)[0, 0]
            before = night(rng, np.tile(fixed, (3, 1)), shape, mean)
            false, true, steadier = (
                fails_at(night(rng, np.tile(fixed, (count, 1)), shape, mean - by) - baseline, design)
                for by, count, baseline in (
                    (0.0, NIGHTS, before[0]),
                    (drop, 2, before[0]),
                    (drop, 2, before.mean(axis=0)),
                )
            )
            for place, level in ((0, CONFIRMED_LEVEL), (1, LEVEL)):
                fails = (false <= level).tolist()
                held[heads[place]].append(any(a and b for a, b in pairwise(fails)))
                held[heads[2 + place]].append(any(fails))
            for place, caught in ((4, true), (5, steadier)):
                held[heads[place]].append(bool((caught <= CONFIRMED_LEVEL).all()))
        cells = [share(held[heads[0]], most=0.1), *(share(held[head]) for head in heads[1:4])]
        cells += [share(held[head], least) for head in heads[4:]]
        yield name, "".join(f"{each:>20}" for each in cells)


CASES = {"marks": 10, "figures": 8, "uncited": 2, "in_report": 12, "in_source": 9, "typed": 6, "labelled": 12}
"""Cases of each share in a report; besides, right figures, and wrong ones in some reports."""
WRONG_FIGURES = 0.3
"""Per report."""


def judges(rng: Random, rounds: int, cell: str) -> Rows:
    """How often a judge that is right in .90 of all cases is said not to read, and one that supports every claim."""
    yield "wanted: ≤ .05, ≥ .80 at 10", f"{'right in .90':>20}{'supports all':>20}{'either open':>20}"
    for reports in (3, 5, 10, 20):
        named: dict[str, list[bool]] = {"good": [], "stamping": [], "open": []}
        for _ in range(max(1, rounds // 2)):
            of = [{**CASES, CONFIRMED: 6, CONTRADICTED: int(count)} for count in rng.poisson(WRONG_FIGURES, reports)]
            for kind in ("good", "stamping"):
                rates = dict.fromkeys(FLOORS, 0.9 if kind == "good" else 1.0)
                rates |= {} if kind == "good" else {CONTRADICTED: 0.0}
                runs = [{name: (int(rng.binomial(n, rates[name])), n) for name, n in each.items()} for each in of]
                shares = summed(runs)
                intervals = {name: pooled_ends([run[name] for run in runs]) for name in shares}
                audit = JudgeAudit(judge="p:m", judge_kind="llm", shares=shares, ends=intervals)
                named[kind].append(not audit.reads)
                named["open"] += [bool(audit.open)] if kind == "good" else []
        name = f"{reports} reports"
        cells = [share(named["good"], most=0.05), share(named["stamping"], 0.8 * (reports == 10)), share(named["open"])]
        if cell in name:
            yield name, "".join(f"{each:>20}" for each in cells)


TABLES = (ends, margins, nights, judges)
