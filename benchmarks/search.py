"""What product searches show: the first five cards and the note of each, for somebody to mark.

    python benchmarks/search.py SEARCHES WORLD > shown.txt

SEARCHES has one line of JSON a search, the arguments as product_catalog_search takes them:
{"arguments": {...}, "wanted": "what the shopper wants, in words"}. `--json FILE` writes the same for a program.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drretail.env.session import Session
from drretail.env.world import open_world
from drretail.grounding.text.serialisation import whole_items
from drretail.tools.toolkit import Toolkit

SHOWN = 5
FIELDS = ("product_id", "title", "price", "average_rating", "rating_number", "category")


def results(searches: Path, world: str) -> Iterator[dict[str, Any]]:
    """Each search with its count, its note and its first cards; an error stands as it is."""
    with open_world(world) as shop, Toolkit(Session(shop, user_id=shop.store.sample_users(42, 1)[0].user_id)) as tools:
        for line in filter(None, searches.read_text(encoding="utf-8").splitlines()):
            search = json.loads(line)
            value = tools.call("product_catalog_search", search["arguments"]).value
            cards = [{name: card.get(name) for name in FIELDS} for card in whole_items(value, "hits")[:SHOWN]]
            counts = {name: value[name] for name in ("total", "hidden", "note", "error") if name in value}
            yield {**search, **counts, "cards": cards}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("searches", type=Path)
    parser.add_argument("world")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    found = list(results(args.searches, args.world))
    for number, result in enumerate(found, start=1):
        print(f"\n{number}. {result['wanted']}\n   {json.dumps(result['arguments'], ensure_ascii=False)}")
        for name in ("error", "total", "hidden", "note"):
            if name in result:
                print(f"   {name}: {result[name]}")
        for card in result["cards"]:
            price = "no price" if card["price"] is None else f"{card['price']:.2f}"
            rated = f"{card['average_rating']} ({card['rating_number']})"
            print(f"   - {card['product_id']} {card['title'][:90]} · {price} · {rated} · {card['category']}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
