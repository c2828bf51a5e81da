"""How often equal means are told apart when one of two systems fails rarely, and what is still found, by simulation.

    PYTHONPATH=. python benchmarks/failures.py [--samples 2000] [--json FILE]

One system of two fails in a share of questions, in which it gets 0, and is so much better in all others that both have
the same mean: .5 to 6 failures are expected in 10 to 400 questions. Every experiment is tested and concluded by the
functions that ``compare`` and ``score`` use. Of 6 and 12 systems, half are of each kind. The last tables: how often
true differences are concluded, and how often the range of queries needed holds the number.
"""

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from figures import keep, parser_of
from numpy.typing import NDArray
from scipy.special import stdtrit
from scipy.stats import beta

from benchmarks.coverage import Design, claims
from drretail.eval.compare.rows import Corrected, Side, compared_rows, tested
from drretail.eval.registry import load_metric
from drretail.stats.intervals import Clusters, estimate, freedom
from drretail.stats.significance import LEVEL, failures_added, holm, users_needed, users_range

Numbers = NDArray[np.float64]
QUESTIONS = (10, 20, 50, 100, 200, 400)
EXPECTED = np.arange(0.5, 6.01, 0.25)
"""The failures that are expected in an experiment."""
MOST = 0.06
FAITHFULNESS, VARIANT = load_metric("faithfulness"), "FP"


def steady(rng: np.random.Generator, samples: int, design: Design) -> Numbers:
    return np.ones((samples, design.users * design.each))


def skewed(rng: np.random.Generator, samples: int, design: Design) -> Numbers:
    """Most near 1, as the faithfulness of good reports."""
    return rng.beta(12, 0.6, (samples, design.users * design.each))


def normal(rng: np.random.Generator, samples: int, design: Design) -> Numbers:
    users = np.repeat(rng.standard_normal((samples, design.users)), design.each, axis=1)
    own = rng.standard_normal((samples, design.users * design.each))
    return 0.7 + 0.1 * (design.share**0.5 * users + (1 - design.share) ** 0.5 * own)


def binary(rng: np.random.Generator, samples: int, design: Design) -> Numbers:
    """All or nothing: the other system fails as often, on questions of its own."""
    return np.ones((samples, design.users * design.each))


class Setting(NamedTuple):
    """How two kinds of systems come to the same mean."""

    name: str
    draw: Callable[[np.random.Generator, int, Design], Numbers]
    systems: int = 2
    each: int = 1
    """Queries of one user."""
    share: float = 0.0
    """Of the variance of normal values, the users'."""
    by_user: bool = False
    """True if all questions of a user fail together."""
    missing: float = 0.0
    """The share of the failing system's values, the lowest, that are missing."""
    questions: Sequence[int] = QUESTIONS


SETTINGS = (
    Setting("1 or 0, the other steady", steady),
    Setting("skewed", skewed),
    Setting("normal", normal),
    Setting("binary, both 1 or 0", binary),
    Setting("1 or 0, 3 questions a user", steady, each=3, questions=(21, 51, 99, 201, 399)),
    Setting("normal, 3 a user, .5 the user's", normal, each=3, share=0.5, questions=(21, 51, 99, 201, 399)),
    Setting("skewed, its worst 5 % missing", skewed, missing=0.05, questions=(20, 50, 100, 200, 400)),
    Setting("1 or 0, its worst 5 % missing", steady, missing=0.05, questions=(20, 50, 100, 200, 400)),
    Setting("6 systems, 1 or 0", steady, systems=6, questions=QUESTIONS[1:]),
    Setting("6 systems, skewed", skewed, systems=6, questions=(20, 50, 100, 400)),
    Setting("12 systems, 1 or 0", steady, systems=12, questions=(20, 50, 100, 400)),
    Setting("12 systems, skewed", skewed, systems=12, questions=(20, 50, 100)),
    Setting("by user: 3 questions fail together", steady, each=3, by_user=True, questions=(21, 51, 99, 201, 399)),
)


def drawn(setting: Setting, design: Design, rate: float, samples: int, rng: np.random.Generator) -> list[Numbers]:
    """Samples by queries for each system; every second one fails at ``rate``. NaN where a value is missing."""

    def fails() -> NDArray[np.bool_]:
        if setting.by_user:
            return np.repeat(rng.random((samples, design.users)) < rate, design.each, axis=1)
        return rng.random((samples, design.users * design.each)) < rate

    made: list[Numbers] = []
    for at in range(setting.systems):
        values = setting.draw(rng, samples, design)
        if at % 2 and setting.draw is not binary:
            made.append(values * (1 - rate))
            continue
        values = np.where(fails(), 0.0, values)
        count = int(setting.missing * values.shape[1])
        if count:
            np.put_along_axis(values, np.argpartition(values, count, axis=1)[:, :count], np.nan, axis=1)
        made.append(values)
    return made


def any_concluded(systems: Sequence[Numbers], design: Design, *, rule: bool, among: int = 0) -> float:
    """The share of experiments in which anything is concluded of any pair, by the functions of ``compare``.

    With ``among``, so many systems are compared, of which nothing is concluded but of these.
    """
    among = among or len(systems)
    tests, more = among * (among - 1) // 2, failures_added(among) if rule else 0.0
    groups = design.groups
    names = [f"q{at:03}" for at in range(len(groups))]
    clusters = Clusters({name: str(user) for name, user in zip(names, groups, strict=True)})
    pairs = list(combinations(range(len(systems)), 2))
    # Without Student's interval, or with a lead that one more failure takes, nothing is concluded: no need of a test.
    may_be = np.array([_is_apart(systems[a], systems[b], design, more) for a, b in pairs])
    known: dict[bytes, bool] = {}
    concluded = 0
    for sample in np.flatnonzero(may_be.any(axis=0)):
        values = _in_order(np.array([its[sample] for its in systems]), design)
        key = values.tobytes()
        if key not in known:
            maybe = [pair for pair, may in zip(pairs, may_be[:, sample], strict=True) if may]
            known[key] = _is_any([_side(its, names) for its in values], maybe, tests, clusters, more)
        concluded += known[key]
    return concluded / len(systems[0])


def _is_any(
    sides: Sequence[Side], maybe: Sequence[tuple[int, int]], tests: int, clusters: Clusters, more: float
) -> bool:
    """Whether anything is concluded of these pairs, corrected for all ``tests``."""
    results = [tested((sides[a], sides[b]), clusters, failures=more) for a, b in maybe]
    adjusted = holm([*(result.decides for result in results), *[1.0] * (tests - len(maybe))])
    for (a, b), result, p in zip(maybe, results, adjusted, strict=False):
        if p is not None and p <= LEVEL:
            corrected = Corrected(p, tests, p, result.failures)
            (row,) = compared_rows(FAITHFULNESS, {VARIANT: (sides[a], sides[b])}, clusters, {VARIANT: corrected})
            if row.outcome in ("higher", "lower"):
                return True
    return False


def _in_order(values: Numbers, design: Design) -> Numbers:
    """Systems by queries in a fixed order of users and of their queries, so that equal experiments are one."""
    order = np.lexsort((*values, design.groups))
    users = values[:, order].reshape(len(values), design.users, design.each)
    return users[:, np.lexsort(users.transpose(0, 2, 1).reshape(-1, design.users))].reshape(values.shape)


def _is_apart(a: Numbers, b: Numbers, design: Design, failures: float) -> NDArray[np.bool_]:
    """By sample, whether a difference may be concluded; slightly too often."""
    apart = a - b
    count = (~np.isnan(apart)).sum(axis=1)
    mean = np.nansum(apart, axis=1) / count
    away = np.nan_to_num(apart - mean[:, None]).reshape(len(apart), design.users, design.each).sum(axis=2)
    error = np.sqrt((away**2).sum(axis=1) * design.users / (design.users - 1)) / count
    least = 0.95 * stdtrit(freedom(design.groups), 0.975) * error
    loss = failures * np.minimum(np.nanmean(a, axis=1), np.nanmean(b, axis=1)) / count
    return np.abs(mean) > np.maximum(least, 0.9 * loss)


def _side(values: Numbers, names: Sequence[str]) -> Side:
    kept = {
        name: [] if np.isnan(value) else [round(float(value), 10)] for name, value in zip(names, values, strict=True)
    }
    nested = {name: [its] for name, its in kept.items()}
    return Side(kept, nested, kept, {name: "judge failed" for name, its in kept.items() if not its})


def upper(share: float, samples: int) -> float:
    """The upper end of Clopper and Pearson's 95% interval."""
    count = round(share * samples)
    return 1.0 if count == samples else float(beta.ppf(0.975, count + 1, samples - count))


def shares(setting: Setting, questions: int, samples: int) -> list[float]:
    """The shares of experiments with any conclusion, by expected failures."""
    design = Design(questions // setting.each, setting.each, setting.share)
    rng = np.random.default_rng([31, questions, setting.systems])
    systems = (drawn(setting, design, expected / questions, samples, rng) for expected in EXPECTED)
    return [any_concluded(each, design, rule=True) for each in systems]


def print_grid(samples: int, only: str = "", questions: Sequence[int] = ()) -> dict[str, dict[int, list[float]]]:
    print(f"Equal means, {samples:,} experiments a cell: the highest share with a conclusion, over expected failures\n")
    print("| | questions | highest | at | upper 95 % end | all cells |\n|---|--:|--:|--:|--:|--:|")
    found: dict[str, dict[int, list[float]]] = {}
    for setting in (each for each in SETTINGS if only in each.name):
        for count in (each for each in setting.questions if not questions or each in questions):
            its = shares(setting, count, samples)
            found.setdefault(setting.name, {})[count] = its
            highest, at = max(zip(its, EXPECTED, strict=True))
            end = upper(highest, samples)
            mark = "" if end <= MOST else " **above**"
            mean = f"{float(np.mean(its)):.3f}"
            print(f"| {setting.name} | {count} | {highest:.3f} | {at:.2f} | {end:.3f}{mark} | {mean} |", flush=True)
    return found


SYSTEMS = (2, 6, 12)
POWERS = {".70 and .80": (claims(7, 3), claims(8, 2)), ".90 and .95": (claims(18, 2), claims(19, 1))}


def print_power(samples: int) -> dict[str, dict[int, tuple[float, float]]]:
    print("\n| true means | questions | concluded | without the rule |\n|---|--:|--:|--:|")
    found: dict[str, dict[int, tuple[float, float]]] = {}
    for (means, (worse, better)), among in product(POWERS.items(), SYSTEMS):
        name = f"{means}, one pair of {among} systems"
        found[name] = {}
        for questions in QUESTIONS[1:]:
            design, rng = Design(questions, 1, 0.0), np.random.default_rng([37, questions])
            systems = [better(rng, samples, design), worse(rng, samples, design)]
            concluded, without = (any_concluded(systems, design, rule=rule, among=among) for rule in (True, False))
            found[name][questions] = concluded, without
            print(f"| {name} | {questions} | {concluded:.2f} | {without:.2f} |", flush=True)
    return found


def print_ranges(samples: int) -> dict[str, dict[int, float]]:
    """How often the range of queries needed holds the number that the true difference needs."""
    print("\n| true means | questions | the range holds the number needed |\n|---|--:|--:|")
    found: dict[str, dict[int, float]] = {}
    for name, (worse, better) in POWERS.items():
        rng, many = np.random.default_rng(41), Design(20_000, 1, 0.0)
        apart = (better(rng, 1, many) - worse(rng, 1, many))[0].tolist()
        loss = failures_added(2) * float(worse(rng, 1, many).mean())
        truth = users_needed(estimate(apart, many.groups), many.users, loss=loss)
        assert truth is not None
        found[name] = {}
        for questions in (20, 50, 100):
            design, held = Design(questions, 1, 0.0), 0
            b = worse(rng, samples, design)
            for values, other in zip(better(rng, samples, design) - b, b, strict=True):
                seen = estimate(values.tolist(), design.groups)
                few, most = users_range(seen, questions, loss=failures_added(2) * float(other.mean()))
                held += (few or 0) <= truth <= (most or np.inf)
            found[name][questions] = held / samples
            print(f"| {name} | {questions} | {held / samples:.2f} of {truth} |", flush=True)
    return found


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--only", default="", help="the settings whose names hold this text, without power and ranges")
    parser.add_argument("--questions", type=int, nargs="*", default=(), help="only so many questions")
    parser.add_argument("--power", action="store_true", help="only what is still found, and the ranges")
    args = parser.parse_args()
    figures: dict[str, object] = {}
    if not args.power:
        figures["equal"] = print_grid(args.samples, args.only, args.questions)
    if not args.only and not args.questions:
        figures |= {"power": print_power(args.samples // 10), "ranges": print_ranges(args.samples // 10)}
    keep(args.json, figures)


if __name__ == "__main__":
    main()
