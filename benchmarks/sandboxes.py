"""How long a sandbox of the shipped queries takes to build and to open, and what its pages are like.

    python benchmarks/sandboxes.py --queries 10 --sizes 32k,64k,128k,256k,512k --json sandboxes.json

The limit beside building: the same pages, already made, serialised and packed once. Pages are nearly one another where
more than half of their runs of five words are shared; runs that stand in 200 pages and more are left out, as the form
of a kind of page. A rank is the place of a supportive page among what BM25 finds by its own keyword.
"""

import gzip
import hashlib
import json
import re
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

from figures import hold, keep, parser_of

from drretail.addons.sandboxes.check import sandbox_faults
from drretail.addons.sandboxes.folder import read_sizes
from drretail.addons.sandboxes.synthetic.build import build_offline
from drretail.api.worlds import open_world
from drretail.env.web.sandbox import SealedWeb, TaskPage, read_labels, read_pages, read_sandbox, task_folder
from drretail.env.world import World
from drretail.querygen.reading import shipped_queries
from drretail.records.query import Query

RUN, FORM = 5, 200
Figures = dict[str, object]


def built(world: World, queries: Sequence[Query], to: Path, sizes: str) -> float:
    """Seconds of the processor."""
    began = time.process_time()
    build_offline(world, queries, to, read_sizes(sizes), "42", print)
    return time.process_time() - began


def packed(sandbox: Path, queries: Sequence[Query]) -> float:
    """Seconds to write the same pages down once, without making them."""
    pages = [read_pages(task_folder(sandbox, query.query_id)) for query in queries]
    began = time.process_time()
    for of_one in pages:
        gzip.compress("\n".join(json.dumps(page.model_dump()) for page in of_one).encode())
    return time.process_time() - began


def digest(folder: Path) -> str:
    """Of all names and bytes."""
    found = hashlib.sha256()
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        found.update(f"{path.relative_to(folder)}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def nearly_one(pages: Sequence[TaskPage]) -> float:
    """The share of pages that are nearly another one."""
    texts = [re.findall(r"\w+", page.text.lower()) for page in pages]
    runs = [{" ".join(words[at : at + RUN]) for at in range(len(words) - RUN + 1)} for words in texts]
    stands_in = Counter(run for of_page in runs for run in of_page)
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for at, of_page in enumerate(runs):
        of_page -= {run for run in of_page if stands_in[run] >= FORM}
        for run in of_page:
            holders[run].append(at)
    shared = Counter(pair for held in holders.values() if len(held) > 1 for pair in combinations(held, 2))
    near = {
        at
        for (one, other), both in shared.items()
        if both > (len(runs[one]) + len(runs[other]) - both) / 2
        for at in (one, other)
    }
    return len(near) / len(pages)


def of_size(sandbox: Path, size: str, queries: Sequence[Query]) -> Figures:
    """What the tasks are like at one size, and how long the first search of one takes."""
    about = read_sandbox(sandbox)
    served = set(about.names[: about.names.index(size) + 1])
    web = SealedWeb(sandbox).at(size)
    off: list[float] = []
    shares: list[float] = []
    ranks: list[int | None] = []
    seconds: list[float] = []
    for query in queries:
        task = task_folder(sandbox, query.query_id)
        pages = [page for page in read_pages(task) if page.since in served]
        labels = {page_label.url: page_label for page_label in read_labels(task)}
        tokens = {page.url: (len(page.title) + len(page.text)) / 4 for page in pages}
        total = sum(tokens.values())
        off.append(abs(total / about.sizes[size] - 1))
        shares.append(sum(n for url, n in tokens.items() if labels[url].label == "distractor") / total)
        began = time.process_time()
        own = web.of(query)
        own.search(query.text[:200], 5)
        seconds.append(time.process_time() - began)
        for url in (url for url in tokens if labels[url].label == "supportive"):
            found = [result.url for result in own.search(labels[url].keyword, 100)]
            ranks.append(found.index(url) + 1 if url in found else None)
    return {
        "size": size,
        "off at most": round(max(off), 4),
        "distractors' share": round(statistics.mean(shares), 3),
        "supportive": len(ranks),
        "among 5": sum(rank is not None and rank <= 5 for rank in ranks),
        "among 10": sum(rank is not None and rank <= 10 for rank in ranks),
        "among 100": sum(rank is not None for rank in ranks),
        "first search (s)": round(statistics.median(seconds), 2),
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--world", default="demo")
    parser.add_argument("--queries", type=int, default=10)
    parser.add_argument("--sizes", default="32k,64k,128k,256k,512k")
    given = parser.parse_args()
    with open_world(given.world) as world, tempfile.TemporaryDirectory() as folder:
        queries = shipped_queries("dev")[: given.queries]
        first, second = Path(folder, "first"), Path(folder, "second")
        seconds = [built(world, queries, to, given.sizes) for to in (first, second)]
        limit = packed(first, queries)
        whole = sum(not faults for faults in sandbox_faults(first, world).values())
        sizes = [of_size(first, size, queries) for size in read_sandbox(first).names]
        near = [nearly_one(read_pages(task_folder(first, query.query_id))) for query in queries]
        figures: Figures = {
            "queries": len(queries),
            "built (s)": round(min(seconds), 2),
            "packed once (s)": round(limit, 2),
            "ratio": round(min(seconds) / limit, 2),
            "two builds are the same": digest(first) == digest(second),
            "pass check": whole,
            "nearly another page, at most": round(max(near), 4),
        }
    hold(whole == len(queries) > 0, "every query has pages that pass the check")
    for name, value in figures.items():
        print(f"{name:32} {value}")
    print("  ".join(f"{name:>18}" for name in sizes[0]))
    for row in sizes:
        print("  ".join(f"{value!s:>18}" for value in row.values()))
    keep(given.json, figures | {"sizes": sizes})


if __name__ == "__main__":
    main()
