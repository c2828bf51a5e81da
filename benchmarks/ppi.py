"""Do 95 % intervals from few labels and many verdicts hold? Coverage over resamples of claims that people labelled.

    python benchmarks/ppi.py --labels FILE [--labels FILE] --to FOLDER [--rounds 1000] [--labelled 100] [--seed 7]

FILE is a public set as ``drretail lab card`` takes it; FOLDER keeps offline:judge's verdicts for the next time. The set
is the population: its mean label is the truth. Every round draws clusters (questions; of sets without, claims) with
replacement, all verdicts on their claims, and labels of some of these: by lot, or evenly over the judge's verdicts and
weighted back. Counted is how often the interval holds the truth, by labels alone, with λ = 1, and with the tuned λ;
"gain" is (width of labels alone / width)², in labels. A deaf judge, whose verdicts are dice, shows what it costs.
Last, without any FILE: win rates out of made-up votes on two systems, with ties and two meetings on each query, and
FR out of made-up claims, some of which are none.
"""

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import fmean

from drretail.eval.judging.session import Judge
from drretail.eval.judging.spending import Allowance
from drretail.eval.lab.label_verdicts import judge_labelled, said, verdicts_on
from drretail.eval.lab.labelled_claims import LabelledSet, drawn, read_labelled
from drretail.eval.lab.opinions import SUPPORT_OF
from drretail.llm.registry import open_model
from drretail.progress import Progress
from drretail.stats.prediction_powered import Corrected, Item, corrected_mean, corrected_ratio

METHODS = {"labels alone": 0.0, "λ = 1": 1.0, "tuned λ": None}
TIES = 0.3
VOTES = 40


@dataclass(frozen=True)
class Pair:
    """What people and the judge say of one claim."""

    label: float
    verdict: float


def clusters_of(labelled: LabelledSet, folder: Path) -> list[list[Pair]]:
    """The claims by question, with offline:judge's verdicts."""
    judge, whole = Judge.of(open_model("offline:judge")), drawn(labelled, 0, "")
    with Progress().track("judging", len(whole.claims)) as bar:
        asyncio.run(judge_labelled(folder, whole, judge, again="nothing", allowance=Allowance(), bar=bar))
    values = said([*verdicts_on(folder, whole, judge).values()])
    held: dict[str, list[Pair]] = defaultdict(list)
    for it in whole.claims:
        held[it.question or it.item].append(Pair(SUPPORT_OF[it.label], values[it.item]))
    return [*held.values()]


def one_round(clusters: Sequence[Sequence[Pair]], count: int, lot: Random, *, evenly: bool) -> list[Item]:
    """The items of one resample, ``count`` of them labelled."""
    chosen = [(at, pair) for at in range(len(clusters)) for pair in lot.choice(clusters)]
    order = lot.sample(range(len(chosen)), len(chosen))
    strata: dict[float, list[int]] = defaultdict(list)
    for at in order:
        strata[chosen[at][1].verdict if evenly else 0.0].append(at)
    taken = {key: members[: count // len(strata)] for key, members in strata.items()}
    stands_for = {at: len(strata[key]) / len(members) for key, members in taken.items() for at in members}
    return [
        Item(cluster, it.verdict, 1.0, it.label if at in stands_for else None, stands_for.get(at, 1.0))
        for at, (cluster, it) in enumerate(chosen)
    ]


def covered(found: Sequence[Corrected], truth: float) -> float:
    return fmean(it.low is not None and it.high is not None and it.low <= truth <= it.high for it in found)


def width(found: Sequence[Corrected]) -> float:
    return fmean(it.high - it.low for it in found if it.low is not None and it.high is not None)


def measured(
    clusters: Sequence[Sequence[Pair]], given: argparse.Namespace, *, evenly: bool
) -> dict[str, dict[str, float]]:
    """Coverage, width and gain by method."""
    lot = Random(given.seed)
    truth = fmean(pair.label for cluster in clusters for pair in cluster)
    return summed_up([one_round(clusters, given.labelled, lot, evenly=evenly) for _ in range(given.rounds)], truth)


Estimator = Callable[[Sequence[Item], float | None], Corrected | None]


def summed_up(
    rounds: Sequence[Sequence[Item]], truth: float, estimate: Estimator = corrected_mean
) -> dict[str, dict[str, float]]:
    """Coverage, bias, width and gain by method over all rounds."""
    made = {name: [it for items in rounds if (it := estimate(items, λ))] for name, λ in METHODS.items()}
    alone = width(made["labels alone"])
    return {
        name: {
            "coverage": covered(found, truth),
            "bias": fmean(it.value for it in found) - truth,
            "width": width(found),
            "gain": (alone / width(found)) ** 2,
            "λ": fmean(it.power for it in found),
        }
        for name, found in made.items()
    }


def one_tournament(lot: Random, count: int, *, deaf: bool) -> list[Item]:
    """Two systems that meet twice on each of 60 queries, ``count`` meetings voted on; a win is 1, a tie a half.

    People see a tie in three of ten; else a query's own taste decides, so its two meetings are alike. The judge knows
    no ties, agrees in seven of ten, and takes the first system in the others.
    """
    meetings: list[tuple[int, Pair]] = []
    for query in range(60):
        taste = lot.betavariate(2, 1.5)
        for _ in range(2):
            said = 0.5 if lot.random() < TIES else float(lot.random() < taste)
            agrees = not deaf and said != 0.5 and lot.random() < 0.7
            meetings.append((query, Pair(said, said if agrees else float(not deaf or lot.random() < 0.5))))
    voted = {*lot.sample(range(len(meetings)), count)}
    return [Item(query, it.verdict, 1.0, it.label if at in voted else None) for at, (query, it) in enumerate(meetings)]


def wins(given: argparse.Namespace) -> dict[str, dict[str, dict[str, float]]]:
    """Coverage of win rates as ``lab correct`` makes them of votes, whose truth is known since they are made up."""
    truth = TIES / 2 + (1 - TIES) * 2 / 3.5
    tables: dict[str, dict[str, dict[str, float]]] = {}
    for told, deaf in (("a judge that favours the first", False), ("a judge that throws coins", True)):
        lot = Random(given.seed)
        rounds = [one_tournament(lot, VOTES, deaf=deaf) for _ in range(given.rounds)]
        tables[f"wins, {told}"] = summed_up(rounds, truth)
    return tables


def one_extraction(lot: Random, count: int, *, deaf: bool) -> list[Item]:
    """Forty reports of three to fifteen claims, ``count`` of them labelled, as many that the judge holds for cited.

    One in seven is no claim to people; of the others a report has its own share with a source, about three in four.
    The judge sees in nine of ten whether there is one.
    """
    claims: list[Item] = []
    for report in range(40):
        share, size = lot.uniform(0.5, 1), lot.randint(3, 15)
        for _ in range(size):
            whole = float(lot.random() < 6 / 7)
            cited = float(lot.random() < share)
            seen = float(lot.random() < 0.5) if deaf else cited if lot.random() < 0.9 else 1 - cited
            claims.append(Item(report, seen, 1 / size, cited * whole, whole=whole))
    taken: dict[int, float] = {}
    for verdict in (0.0, 1.0):
        stratum = [at for at, it in enumerate(claims) if it.verdict == verdict]
        drawn_here = lot.sample(stratum, min(len(stratum), count // 2))
        taken |= {at: len(stratum) / len(drawn_here) for at in drawn_here}
    return [
        replace(it, stands_for=taken[at]) if at in taken else replace(it, label=None) for at, it in enumerate(claims)
    ]


def recalls(given: argparse.Namespace) -> dict[str, dict[str, dict[str, float]]]:
    """Coverage of FR as ``lab correct`` makes it of what people say of claims; the truth is known."""
    tables: dict[str, dict[str, dict[str, float]]] = {}
    for told, deaf in (("a judge right in nine of ten", False), ("a judge that throws coins", True)):
        lot = Random(given.seed)
        rounds = [one_extraction(lot, given.labelled, deaf=deaf) for _ in range(given.rounds)]
        tables[f"FR, {told}"] = summed_up(rounds, 0.75, corrected_ratio)
    return tables


def shown(title: str, table: dict[str, dict[str, float]]) -> None:
    print(f"\n{title}")
    for name, row in table.items():
        print(f"  {name:14}" + "  ".join(f"{key} {value:.3f}" for key, value in row.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=Path, action="append", default=[], metavar="FILE")
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--labelled", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    tables: dict[str, dict[str, dict[str, float]]] = {}
    for path in given.labels:
        labelled = read_labelled(path)
        clusters = clusters_of(labelled, given.to)
        dice = Random(given.seed)
        deaf = [[Pair(it.label, dice.choice((0.0, 0.5, 1.0))) for it in cluster] for cluster in clusters]
        for told, population, evenly in (
            ("by lot", clusters, False),
            ("evenly over verdicts", clusters, True),
            ("by lot, a judge that throws dice", deaf, False),
        ):
            table = tables[f"{labelled.name}, {told}"] = measured(population, given, evenly=evenly)
            shown(f"{labelled.name}, {given.labelled} labels {told}, {given.rounds:,} rounds, seed {given.seed}", table)
    for told, table in wins(given).items():
        tables[told] = table
        shown(f"{told}, {VOTES} votes on 120 meetings, {given.rounds:,} rounds, seed {given.seed}", table)
    for told, table in recalls(given).items():
        tables[told] = table
        shown(f"{told}, {given.labelled} labels, {given.rounds:,} rounds, seed {given.seed}", table)
    if given.json is not None:
        given.json.write_text(json.dumps(tables, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
