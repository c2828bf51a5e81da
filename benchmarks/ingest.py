"""How fast raw files become a world, against the time in which their gzip can be read at all.

    python benchmarks/ingest.py --json ingest.json          # 3,000,000 reviews of 120,000 products, five runs of each
    python benchmarks/ingest.py --quick                     # a tenth of them, once each
    python benchmarks/ingest.py --dense                     # the dense shop alone
    python benchmarks/ingest.py --files FOLDER --runs 1     # raw files of your own

The sparse files hold many products that are not kept; of the dense ones (`drretail synth`, 400,000 reviews of 20,000
products) four in five are, and of the reviews as many are orders: there, writing the world takes longer than reading
the files.

The limit is `igzip -dc FILES | wc -l` (Debian package isal), or gzip where that is missing. The input is made up and
seeded; with --data it is kept. Runs are interleaved, the table shows medians. All figures are ratios of the time that
all processes of a run take of the processor: the time on the wall depends on what else the machine does.
"""

import gzip
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from itertools import product
from pathlib import Path

from command import MAIN
from figures import hold, keep, parser_of

from drretail.data_ingest.synth import write_shop

CATEGORIES = ("Pet_Supplies", "Office_Products")
FIRST, SPAN = 1_400_000_000_000, 290_000_000_000
PACKINGS = (6, 1)
"""The levels of gzip at which the dense shop is packed."""
DENSE_REVIEWS, DENSE_PRODUCTS = 2 / 15, 1 / 6
"""Of the sparse ones: 400,000 of 3,000,000 and 20,000 of 120,000."""
# As it is often written: the two rules, nothing else, and no world.
PLAIN_LOOP = """
import collections, gzip, json, sys
count, kept = collections.Counter(), collections.defaultdict(list)
metas = [path for path in sys.argv[1:] if "meta_" in path]
products = {json.loads(line)["parent_asin"] for path in metas for line in gzip.open(path, "rt")}
for path in sys.argv[1:]:
    if "meta_" not in path:
        for line in gzip.open(path, "rt"):
            row = json.loads(line)
            if row["timestamp"] >= 1546300800000 and row["parent_asin"] in products:
                count[row["parent_asin"]] += 1
                kept[row["parent_asin"]].append((row["user_id"], row["timestamp"]))
print(sum(len(rows) for product, rows in kept.items() if count[product] >= 5))
"""
# Made-up files have a cut line, and one is an array, whose lines end in a comma: they are parsed and thrown away, too.
JSON_LOOP = """
import gzip, json, sys
for path in sys.argv[1:]:
    for line in gzip.open(path, "rb"):
        try:
            json.loads(line)
        except ValueError:
            pass
"""


@dataclass(frozen=True)
class Case:
    name: str
    command: list[str]
    reviews: int
    world: Path | None = None


@dataclass
class Run:
    cpu: float
    peak_mb: float


class Words:
    """Texts cut from one long stretch of made-up words, few of them frequent: they pack about as well as reviews do."""

    def __init__(self, rng: random.Random) -> None:
        known = ["".join(rng.choices("etaoinshrdlcumwfgypbvk", k=rng.randint(2, 9))) for _ in range(20_000)]
        self._rng, self._words = rng, rng.choices(known, [1 / (place + 3) for place in range(20_000)], k=400_000)

    def of(self, length: int) -> str:
        start = self._rng.randrange(len(self._words) - length)
        return " ".join(self._words[start : start + length])


def product_lines(category: str, ids: Sequence[str], words: Words, rng: random.Random) -> Iterator[str]:
    for product_id in ids:
        yield json.dumps(
            {
                "main_category": category,
                "title": words.of(15),
                "average_rating": round(rng.uniform(1, 5), 1),
                "rating_number": rng.randrange(5000),
                "features": [words.of(20) for _ in range(4)],
                "description": [words.of(60)],
                "price": rng.choice([None, 14.99, "23.10"]),
                "images": [{"thumb": f"https://images.example/{rng.getrandbits(60):x}.jpg", "variant": "MAIN"}],
                "store": words.of(1),
                "categories": [category, words.of(2)],
                "details": {"Brand": words.of(1), "Color": "red"},
                "parent_asin": product_id,
                "bought_together": None,
            }
        )


def review_lines(ids: Sequence[str], count: int, words: Words, rng: random.Random) -> Iterator[str]:
    """Half of the reviews are of few products; a user writes two on average."""
    for _ in range(count):
        frequent = rng.random() < 0.5
        product = ids[min(len(ids) - 1, int(40 * (rng.paretovariate(0.9) - 1)))] if frequent else rng.choice(ids)
        user = rng.randrange(count // 2) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 104)
        text = words.of(min(200, int(12 * rng.paretovariate(1.1))))
        yield (
            f'{{"rating": {rng.randint(1, 5)}.0, "title": "{words.of(4)}", "text": "{text}", "images": [], '
            f'"asin": "{product}", "parent_asin": "{product}", "user_id": "AE{user:026X}", '
            f'"timestamp": {FIRST + rng.randrange(SPAN)}, "helpful_vote": 0, "verified_purchase": true}}'
        )


def make_sparse(folder: Path, reviews: int, products: int, categories: Sequence[str]) -> list[Path]:
    """The raw files of a shop with the reviews and products spread over the categories; kept ones are used again."""
    paths = [folder / f"{kind}{name}.jsonl.gz" for name in categories for kind in ("meta_", "")]
    done = folder / f"{reviews}-{products}"
    if done.exists():
        return paths
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(42)
    words = Words(rng)
    for place, name in enumerate(categories):
        ids = [f"B{place}{number:08X}" for number in range(products // len(categories))]
        write_packed(folder / f"meta_{name}.jsonl.gz", product_lines(name, ids, words, rng))
        write_packed(folder / f"{name}.jsonl.gz", review_lines(ids, reviews // len(categories), words, rng))
    done.touch()
    return paths


def make_dense(folder: Path, reviews: int, products: int, level: int) -> list[Path]:
    """The files of `drretail synth`, packed; kept ones are used again."""
    done = folder / f"{reviews}-{products}"
    if not done.exists():
        write_shop(folder, products=products, reviews=reviews)
        for path in folder.glob("*.jsonl"):
            with path.open(encoding="utf-8") as lines:
                write_packed(path.with_suffix(".jsonl.gz"), lines, level)
            path.unlink()
        done.touch()
    return sorted(folder.glob("*.jsonl.gz"))


def write_packed(path: Path, lines: Iterable[str], level: int = 6) -> None:
    with gzip.open(path, "wt", compresslevel=level, encoding="utf-8") as file:
        file.writelines(f"{line.rstrip()}\n" for line in lines)


def cases(one: list[Path], two: list[Path], reviews: int, work: Path, *, spark: bool) -> list[Case]:
    unpack = "igzip" if shutil.which("igzip") else "gzip"

    def ingest(name: str, paths: list[Path], *options: str) -> Case:
        world = work / name.replace(" ", "-").replace(",", "")
        command = [sys.executable, "-c", MAIN, "ingest", *map(str, paths), "-w", str(world), "-q", *options]
        return Case(name, command, reviews, world)

    def limit(name: str, paths: list[Path]) -> Case:
        return Case(name, ["sh", "-c", f'{unpack} -dc "$@" | wc -l', "sh", *map(str, paths)], reviews)

    found = [
        limit(f"limit: {unpack}, one file", one),
        limit(f"limit: {unpack}, two files", two),
        ingest("selection, one file", one, "--dry-run", "--parallel", "1"),
        ingest("end to end, one file", one, "--parallel", "1"),
        ingest("selection, two files, 1 worker", two, "--dry-run", "--parallel", "1"),
        ingest("selection, two files, 2 workers", two, "--dry-run", "--parallel", "2"),
        ingest("end to end, two files, 2 workers", two, "--parallel", "2"),
        Case("json and gzip in a loop, one file", [sys.executable, "-c", PLAIN_LOOP, *map(str, one)], reviews),
    ]
    if spark:
        found.append(ingest("selection on Spark, one file", one, "--dry-run", "--engine", "spark"))
    return found


def dense_cases(name: str, paths: list[Path], reviews: int, work: Path) -> list[Case]:
    """A loop over the files, and the selection and the whole ingest to be compared with it."""
    world = work / "dense-world"
    command = [sys.executable, "-c", MAIN, "ingest", *map(str, paths), "-w", str(world), "-q"]
    return [
        Case(f"{name}: json and gzip in a loop", [sys.executable, "-c", JSON_LOOP, *map(str, paths)], reviews),
        Case(f"{name}: selection", [*command, "--dry-run"], reviews, world),
        Case(f"{name}: end to end", command, reviews, world),
    ]


def print_rounds(beside: list[Case], count: int, reviews: int) -> list[dict[str, object]]:
    """Measures the cases in turn, and prints each against the first."""
    runs: dict[str, list[Run]] = {case.name: [] for case in beside}
    for number, case in product(range(count), beside):
        runs[case.name].append(measured(case, number))
    return print_dense(runs, reviews)


def measured(case: Case, number: int) -> Run:
    run = measure(case)
    print(f"run {number + 1}: {case.name}: {run.cpu:.2f} s of the processor", file=sys.stderr)
    return run


def print_dense(runs: dict[str, list[Run]], reviews: int) -> list[dict[str, object]]:
    """Each beside the loop of the same round: what else a machine does meanwhile then counts for both."""
    loop, *others = runs
    found: list[dict[str, object]] = []
    for name in others:
        ratios = sorted(run.cpu / beside.cpu for run, beside in zip(runs[name], runs[loop], strict=True))
        peak = max(run.peak_mb for run in runs[name])
        print(
            f"{name}: {statistics.median(ratios):.2f} times the loop's time of the processor ({ratios[0]:.2f} to "
            f"{ratios[-1]:.2f}), {peak:.0f} MB"
        )
        row = {"name": name, "reviews": reviews, "ratios": ratios, "peak_mb": round(peak)}
        found.append({**row, "runs": [asdict(run) for run in runs[name]], "loop": [asdict(run) for run in runs[loop]]})
    return found


def measure(case: Case) -> Run:
    """Processor time and the largest sum of resident memory of the processes of one run."""
    if case.world:
        shutil.rmtree(case.world, ignore_errors=True)
    peak, ended = [0.0], threading.Event()
    process = subprocess.Popen(case.command, stdout=subprocess.DEVNULL)  # noqa: S603 -- commands of our own
    watch = threading.Thread(target=watch_memory, args=(process.pid, peak, ended))
    watch.start()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    ended.set()
    watch.join()
    if process.returncode:
        raise SystemExit(f"{case.name} ended with exit code {process.returncode}")
    if case.world:
        shutil.rmtree(case.world, ignore_errors=True)
    return Run(usage.ru_utime + usage.ru_stime, peak[0])


def watch_memory(root: int, peak: list[float], ended: threading.Event) -> None:
    while not ended.wait(0.05):
        peak[0] = max(peak[0], sum(map(resident_mb, tree(root))))


def tree(root: int) -> list[int]:
    """The process and all below it."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [root]
    for process in found:
        found += parents.get(process, [])
    return found


def resident_mb(process: int) -> float:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (OSError, IndexError):
        return 0.0


def summed_up(runs: dict[str, list[Run]], reviews: int) -> list[dict[str, object]]:
    median = {name: statistics.median(run.cpu for run in found) for name, found in runs.items()}
    limits = {count: next(s for name, s in median.items() if count in name) for count in ("one file", "two files")}
    return [
        {
            "name": name,
            "reviews": reviews,
            "peak_mb": round(max(run.peak_mb for run in found)),
            "to_limit": round(median[name] / limits["two files" if "two files" in name else "one file"], 2),
            "runs": [asdict(run) for run in found],
        }
        for name, found in runs.items()
    ]


def print_table(rows: list[dict[str, object]]) -> None:
    print(f"{'time of the processor':36}{'times the limit':>21}{'peak MB':>21}")
    for row in rows:
        print(f"{row['name']!s:36}{row['to_limit']!s:>21}{row['peak_mb']!s:>21}")


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--reviews", type=int, default=3_000_000)
    parser.add_argument("--products", type=int, default=120_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, one run each, no Spark")
    parser.add_argument("--dense", action="store_true", help="the dense shop alone")
    parser.add_argument("--files", type=Path, help="a folder of raw files")
    parser.add_argument("--data", type=Path, help="keep the input here")
    args = parser.parse_args()
    if args.quick:
        args.reviews, args.products, args.runs = args.reviews // 10, args.products // 10, 1
    spark = not args.quick and find_spec("pyspark") is not None and shutil.which("java") is not None
    if not shutil.which("igzip"):
        print("igzip is not installed (Debian: apt-get install isal): gzip stands in for it.", file=sys.stderr)
    with tempfile.TemporaryDirectory() as name:
        work, data = Path(name), args.data or Path(name)
        if args.files:
            paths = sorted(path for path in args.files.iterdir() if ".jsonl" in path.suffixes)
            print_rounds(dense_cases(args.files.name, paths, 0, work), args.runs, 0)
            return
        asked = list[Case]()
        if not args.dense:
            one = make_sparse(data / "one", args.reviews, args.products, CATEGORIES[:1])
            two = make_sparse(data / "two", args.reviews, args.products, CATEGORIES)
            asked = cases(one, two, args.reviews, work, spark=spark)
        runs: dict[str, list[Run]] = {case.name: [] for case in asked}
        for number, case in product(range(args.runs), asked):
            runs[case.name].append(measured(case, number))
        reviews, products = round(DENSE_REVIEWS * args.reviews), round(DENSE_PRODUCTS * args.products)
        dense = list[dict[str, object]]()
        for level in PACKINGS[:1] if args.quick else PACKINGS:
            packed = make_dense(data / f"dense-{level}", reviews, products, level)
            dense += print_rounds(dense_cases(f"dense, gzip -{level}", packed, reviews, work), args.runs, reviews)
    rows = list[dict[str, object]]()
    if asked:
        rows = summed_up(runs, args.reviews)
        print_table(rows)
    hold(dense and all(len(each) for each in runs.values()), "every case was measured")
    result = {"reviews": args.reviews, "products": args.products, "cores": os.cpu_count(), "results": rows}
    keep(args.json, result | {"dense": dense})


if __name__ == "__main__":
    main()
