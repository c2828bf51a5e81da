"""How well searches find what people judged relevant, beside SQLite's FTS5 and rank_bm25, both with Porter's stemmer.

    python benchmarks/relevance.py LABELS            # a folder with meta_*.jsonl.gz and rated.csv (query,docid,rating)

`pip install rank-bm25` for the third. The weights of the analyzer `english` were chosen on one half of the queries,
drawn with seed 42; the other half is the check. nDCG@10 with gain 2^rating - 1; a product without a rating counts 0,
queries without a relevant product are left out. Rivals get the same texts, and once those without product details.
"""

import csv
import importlib.util
import math
import random
import sqlite3
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import mean
from typing import Any

from figures import hold, keep, parser_of

from drretail.data_ingest.ingest import ingest_files
from drretail.data_ingest.plan import IngestSettings
from drretail.env.catalog.base import Analyzer, CatalogQuery
from drretail.env.catalog.formulation import analyzed_words, other_texts
from drretail.env.folder import open_world_rows
from drretail.env.world import World, world_at
from drretail.records.shop import Product
from drretail.reports.text.words import snowball_stem

Rank = Callable[[str], list[str]]
"""The ids of the best ten products for a query."""
Labels = Mapping[str, Mapping[str, int]]
"""Query → product id → rating."""
SHOWN = 10


def read_labels(path: Path) -> Labels:
    """The queries that have a relevant product."""
    labels: dict[str, dict[str, int]] = defaultdict(dict)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            labels[row["query"]][row["docid"]] = int(row["rating"])
    return {query: rated for query, rated in sorted(labels.items()) if max(rated.values()) > 0}


def halves(queries: Sequence[str], seed: int) -> dict[str, list[str]]:
    """The queries on which weights were chosen, and those that check them."""
    drawn = list(queries)
    random.Random(seed).shuffle(drawn)
    middle = len(drawn) // 2
    return {"all": drawn, "chosen on": drawn[:middle], "check": drawn[middle:]}


def ndcg(found: Sequence[str], rated: Mapping[str, int]) -> float:
    def gain(ratings: Sequence[int]) -> float:
        return sum((2**rating - 1) / math.log2(place + 2) for place, rating in enumerate(ratings[:SHOWN]))

    return gain([rated.get(product_id, 0) for product_id in found]) / gain(sorted(rated.values(), reverse=True))


@contextmanager
def worlds(products: Path, parent: Path) -> Generator[dict[Analyzer, World]]:
    """The shop with each analyzer."""
    analyzers: tuple[Analyzer, ...] = ("english", "standard")
    with ExitStack() as stack:
        opened: dict[Analyzer, World] = {}
        for analyzer in analyzers:
            options = IngestSettings(min_interactions=0, cap=10**6, category="Electronics", analyzer=analyzer)
            ingest_files([products], parent / analyzer, options)
            opened[analyzer] = stack.enter_context(world_at(parent / analyzer))
        yield opened


def ours(world: World) -> Rank:
    return lambda query: [hit.product_id for hit in world.catalog.search(CatalogQuery(query, limit=SHOWN)).hits]


def fts5_of(products: Sequence[Product]) -> Rank:
    """SQLite's full-text search for any word, title and the rest as two columns of the same weight."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(id UNINDEXED, title, rest, tokenize = 'porter unicode61')")
    rows = ((product.product_id, product.title, "\n".join(other_texts(product))) for product in products)
    db.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)

    def rank(query: str) -> list[str]:
        any_word = " OR ".join(f'"{word}"' for word in dict.fromkeys(analyzed_words(query)))
        found = db.execute("SELECT id FROM t WHERE t MATCH ? ORDER BY rank, rowid LIMIT ?", (any_word, SHOWN))
        return [product_id for (product_id,) in found]

    return rank


def rank_bm25_of(products: Sequence[Product]) -> Rank | None:
    """The library rank_bm25 over Porter's stems; None, and said so, where it is not installed."""
    if importlib.util.find_spec("rank_bm25") is None:
        print("rank_bm25 is not installed: `pip install rank-bm25` to have it measured too.", file=sys.stderr)
        return None
    from rank_bm25 import BM25Okapi  # pyright: ignore[reportMissingImports] -- only where it is installed

    def stems(text: str) -> list[str]:
        return [snowball_stem(word, "porter") for word in analyzed_words(text)]

    index: Any = BM25Okapi([stems("\n".join([product.title, *other_texts(product)])) for product in products])
    ids = [product.product_id for product in products]

    def rank(query: str) -> list[str]:
        scores = index.get_scores(list(dict.fromkeys(stems(query))))
        best = (-scores).argsort(kind="stable")[:SHOWN]
        return [ids[place] for place in best if scores[place] > 0]

    return rank


def rivals_of(products: Sequence[Product]) -> dict[str, Rank]:
    bare = [product.model_copy(update={"details": {}}) for product in products]
    found = {
        "FTS5 porter": fts5_of(products),
        "FTS5 porter, without details": fts5_of(bare),
        "rank_bm25 Porter": rank_bm25_of(products),
        "rank_bm25 Porter, without details": rank_bm25_of(bare),
    }
    return {name: rank for name, rank in found.items() if rank is not None}


def measure(labels: Labels, products: Path, seed: int) -> dict[str, Any]:
    parts = halves(list(labels), seed)
    with tempfile.TemporaryDirectory() as parent, worlds(products, Path(parent)) as opened:
        with open_world_rows(Path(parent) / "english") as rows:
            shelf = list(rows.products)
        rankings = {f"drretail {analyzer}": ours(world) for analyzer, world in opened.items()} | rivals_of(shelf)
        scores = {
            name: {query: ndcg(rank(query), labels[query]) for query in labels} for name, rank in rankings.items()
        }
    means = {
        name: {part: mean(of_query[query] for query in queries) for part, queries in parts.items()}
        for name, of_query in scores.items()
    }
    sizes = {part: len(queries) for part, queries in parts.items()}
    return {"seed": seed, "products": len(shelf), "queries": sizes, "ndcg_at_10": means, "by_query": scores}


def print_table(result: dict[str, Any]) -> None:
    sizes: dict[str, int] = result["queries"]
    print(f"{result['products']:,} products; nDCG@10; halves drawn with seed {result['seed']}\n")
    print(f"{'':36}" + "".join(f"{f'{part} ({size})':>18}" for part, size in sizes.items()))
    for name, row in result["ndcg_at_10"].items():
        print(f"{name:36}" + "".join(f"{row[part]:18.3f}" for part in sizes))


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("labels", type=Path, metavar="LABELS")
    parser.add_argument("--seed", type=int, default=42)
    args = parser.parse_args()
    (products,) = args.labels.glob("meta_*.jsonl*")
    result = measure(read_labels(args.labels / "rated.csv"), products, args.seed)
    hold(result, "there are labels to compare with")
    print_table(result)
    keep(args.json, result)


if __name__ == "__main__":
    main()
