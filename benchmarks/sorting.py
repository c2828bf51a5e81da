"""Where a sorted search shows the best matches: what becomes of the first five by relevance in every sort.

    python benchmarks/sorting.py WORLD [--searches FILE] [--json sorting.json]     # WORLD: a folder, or servers:NAME

The sixty searches beside this file were written as a shopper types, before the code was looked at: kinds, properties,
"not X", misspellings, three languages, filters. Each is sorted by price, rating and popularity, up and down, with the
tool's usual page of ten. What a filter leaves out because its price or rating is unknown has to be counted in `hidden`.
"""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from figures import hold, keep, parser_of

from drretail import open_world
from drretail.env.session import Session, SessionSettings
from drretail.env.world import World
from drretail.files import read_lines
from drretail.tools.catalog import product_catalog_search

BEST = 5
SORTS = tuple(product(("price", "rating", "popularity"), ("asc", "desc")))
FILTERS = ("price_min", "price_max", "rating_min")


def fates(session: Session, search: dict[str, Any], sort_by: str, order: str) -> Iterator[str]:
    """What became of each of the best five matches, with and without the search's filters."""

    def ids(value: dict[str, Any]) -> list[str]:
        return [hit["product_id"] for hit in value["hits"]]

    def found(asked: dict[str, Any], **more: Any) -> dict[str, Any]:
        return product_catalog_search(session, **asked, **more).value

    page = found(search, sort_by=sort_by, order=order)
    all_pages = ids(found(search, sort_by=sort_by, order=order, limit=50))
    best = ids(found(search))[:BEST]
    for product_id in best:
        if product_id in ids(page):
            yield "shown"
        elif product_id in all_pages:
            yield "on a later page"
        else:
            yield "left out"
    unfiltered = ids(found({name: value for name, value in search.items() if name not in FILTERS}))[:BEST]
    known = session.settings.world.store.products(unfiltered)
    for product_id in set(unfiltered) - set(best) - set(all_pages):
        record = known[product_id]
        price = "price_min" in search or "price_max" in search
        unknown = (price and record.price is None) or ("rating_min" in search and record.average_rating is None)
        counted = ", counted" if page["hidden"] else ", NOT COUNTED"
        yield "filtered for want of a number" + counted if unknown else "filtered by its number"


def measure(world: World, searches: list[dict[str, Any]]) -> Counter[str]:
    categories = set(world.catalog.categories())
    session = Session(SessionSettings(world))
    counts: Counter[str] = Counter()
    for search in searches:
        if search.get("category", "") not in {"", *categories}:
            search = {name: value for name, value in search.items() if name != "category"}
        for sort_by, order in SORTS:
            counts.update(fates(session, search, sort_by, order))
    return counts


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("world", metavar="WORLD")
    parser.add_argument("--searches", type=Path, default=Path(__file__).with_suffix(".jsonl"))
    parser.add_argument("--first", type=int, help="only so many searches")
    args = parser.parse_args()
    searches = [json.loads(line) for line in read_lines(args.searches)][: args.first]
    with open_world(args.world) as world:
        counts = measure(world, searches)
    print(f"{len(searches)} searches, each in {len(SORTS)} sorts; the best {BEST} matches of each:")
    for fate, count in counts.most_common():
        print(f"{count:8,}  {fate}")
    hold(sum(counts.values()), "searches matched")
    keep(args.json, counts)


if __name__ == "__main__":
    main()
