"""How well are brands renamed? Titles and texts that still say their store's name, and names found on others' products.

    python benchmarks/perturbing.py META_FILE [META_FILE …] [--seed 7] [--shown]

A file holds product rows of Amazon Reviews 2023, one a line. ``--shown`` lists the names that were renamed on products
of others, so that somebody can say whether they are names there.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drretail.addons.perturb.perturbed_world import NamesOfShop, Renaming, name_of, names_on
from drretail.data_ingest.raw.products import product_of
from drretail.records.shop import Product


def products_in(path: Path) -> list[Product]:
    found: dict[str, Product] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("parent_asin") and row.get("title"):
            found.setdefault(row["parent_asin"], product_of(row["parent_asin"], path.stem, row))
    return [*found.values()]


def texts_of(product: Product) -> Iterator[str]:
    yield from (product.title, *product.features, *product.description, *_strings(product.details))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for held in value.values() if isinstance(value, dict) else value:
            yield from _strings(held)


def says(text: str, name: tuple[str, ...]) -> bool:
    spelled = r"[\W_]{1,3}".join(map(re.escape, name))
    return bool(re.search(rf"(?<![^\W_]){spelled}(?![^\W_])", text, re.IGNORECASE))


def measured(products: list[Product], seed: str) -> tuple[Counter[str], Counter[str]]:
    """Counts, and the names that were renamed on products of others."""
    names = NamesOfShop()
    for product in products:
        names.take(product)
    renaming = Renaming(
        names.renamed(seed), names.spellings, names.ordinary(), {each.product_id: "" for each in products}
    )
    counts, foreign = Counter[str](products=len(products)), Counter[str]()
    for product in products:
        new = renaming.product(product)
        own = {name_of(name) for name in names_on(product)}
        for text in texts_of(product):
            found = (text[start:end] for start, end, _ in renaming.found(text, own))
            foreign.update(name for name in found if name_of(name) not in own and name not in renaming.ids)
        if product.store and (name := name_of(product.store)):
            counts["titles with the store's name"] += says(product.title, name)
            counts["titles that kept it"] += says(new.title, name)
            counts["products that kept it anywhere"] += any(says(text, name) for text in texts_of(new))
    counts["names renamed on products of others"] = sum(foreign.values())
    return counts, foreign


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", metavar="META_FILE")
    parser.add_argument("--seed", default="7")
    parser.add_argument("--shown", action="store_true")
    given = parser.parse_args()
    for path in given.files:
        counts, foreign = measured(products_in(path), given.seed)
        print(path.name, "; ".join(f"{name} {count:,}" for name, count in counts.items()))
        if given.shown:
            print("  ", ", ".join(f"{name} {count}" for name, count in foreign.most_common()))


if __name__ == "__main__":
    main()
