"""``perturb_world``: the same shop with other names and prices; ``carried``: queries carried over into it."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from math import exp, log
from pathlib import Path
from random import Random

from pydantic import Field, ValidationError

from drretail.addons.perturb.renaming import Name, NamesOfShop, Renaming, name_of
from drretail.data_ingest.synth.shelf import product_id
from drretail.env.catalog.formulation import formulation_of_index
from drretail.env.copying import writer_to
from drretail.env.generations import check_is_ours
from drretail.env.manifest import INDEX_VERSION, Manifest, OrderRow, Origin
from drretail.env.rows import rows_of
from drretail.env.servers.naming import ServerSettings
from drretail.errors import UserError
from drretail.files import read_json, write_json
from drretail.progress import Progress
from drretail.records.base import Document
from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.records.wish import Demand, Wish

MAPPING = "perturbed.json"
"""The file beside the generations of the world; no tool reads it."""
RULE = 1
"""The version of the rules, counted up when the same world and seed give another result."""
FROM = "perturbed_from"
"""The manifest's parameter with the fingerprint of the original world."""
PRICE = (1.15, 1.6)
"""The least and the greatest factor by which a price moves, up or down."""
RATING = (0.3, 0.9)
"""The least and the greatest number of stars by which a rating moves."""
COUNT = (1.25, 2.5)
"""The least and the greatest factor by which a number of ratings moves, up or down."""
WHOLE_FROM = 20
"""From this amount on, a price without cents stays without cents."""


class Perturbation(Document):
    """perturbed.json: the new brand or id for each old one."""

    rule: int
    seed: str
    perturbed_from: str
    """Fingerprint of the original world."""
    fingerprint: str = ""
    """Fingerprint of the perturbed world."""
    brands: dict[str, str] = Field(default_factory=dict[str, str])
    """The new name for each spelling in stores and makers."""
    ordinary: tuple[str, ...] = ()
    """Words of names that the shop's texts also use as ordinary words."""
    ids: dict[str, str] = Field(default_factory=dict[str, str])
    """The new product id for each old one."""

    def renaming(self) -> Renaming:
        spellings: dict[Name, set[Name]] = {}
        names: dict[Name, str] = {}
        for spelled, new in self.brands.items():
            names[name_of(spelled)] = new
            spellings.setdefault(name_of(spelled), set()).add(tuple(spelled.split()))
        return Renaming(names, spellings, frozenset(self.ordinary), self.ids)


def perturb_world(
    source: str | Path,
    folder: Path,
    seed: str,
    *,
    servers: ServerSettings | None = None,
    progress: Progress | None = None,
) -> tuple[Manifest, Perturbation]:
    """Makes the world at ``source`` live in ``folder`` with other brands, ids, prices and ratings.

    Users, profiles, orders, dates and categories stay the same. The same source and seed give the same world. Raises
    UserError if there is no source, or if the folder is the source or holds something else.
    """
    check_is_ours(folder)
    if str(source) == str(folder) or Path(source).absolute() == folder.absolute():
        raise UserError(f"{folder} is the world itself: give the perturbed one a folder of its own with --to.")
    names = NamesOfShop()
    ids: list[str] = []
    with rows_of(source, servers) as rows:
        for product in rows.products:
            names.take(product)
            ids.append(product.product_id)
        fingerprint = rows.manifest.fingerprint
    new = names.renamed(seed)
    # New ids of Amazon's form sort like the old ones, so that products can be written in the order they are read.
    taken, made = {*ids}, set[str]()
    number = 0
    while len(made) < len(ids):
        made |= {product_id(f"{seed}|perturbed|{number}")} - taken
        number += 1
    mapping = Perturbation(
        rule=RULE,
        seed=seed,
        perturbed_from=fingerprint,
        brands={" ".join(spelled): new[name] for name in sorted(new) for spelled in sorted(names.spellings[name])},
        ordinary=tuple(sorted(names.ordinary())),
        ids=dict(zip(ids, sorted(made), strict=True)),
    )
    renaming = mapping.renaming()
    with rows_of(source, servers) as rows, writer_to(folder) as write:
        held = rows.manifest
        perturbed = {FROM: held.fingerprint, "perturbed_by_seed": seed, "perturbed_by_rule": RULE}
        origin: Origin = {**held.origin, "parameters": {**held.parameters, **perturbed}}
        manifest = write(
            products=(renaming.product(moved(product, seed)) for product in rows.products),
            orders=_orders(rows.orders, mapping.ids, seed),
            holdout=None if rows.holdout is None else _orders(rows.holdout, mapping.ids, seed),
            seed=held.seed,
            pool=rows.pool,
            progress=progress,
            formulation=formulation_of_index(held.versions.get(INDEX_VERSION, ""), "The world"),
            origin=origin,
        )
        made = mapping.model_copy(update={"fingerprint": manifest.fingerprint})
        write_json(folder / MAPPING, made.model_dump(mode="json"))
    return manifest, made


def read_perturbation(folder: Path) -> Perturbation:
    """The mapping beside a perturbed world. Raises UserError for a world without one."""
    path = folder / MAPPING
    if not path.is_file():
        raise UserError(f"{folder} is no perturbed world: it has no {MAPPING}. drretail world perturb makes one.")
    try:
        return Perturbation.model_validate(read_json(path))
    except ValidationError as problem:
        raise UserError(f"{path} is damaged: drretail world perturb makes it again.") from problem


def _orders(orders: Iterable[OrderRow], ids: Mapping[str, str], seed: str) -> Iterator[OrderRow]:
    """The orders with the new product ids. A held-out order may be of a product that the shop lacks, whose id is then
    made up.
    """
    return (
        row._replace(product_id=ids.get(row.product_id) or product_id(f"{seed}|{row.product_id}")) for row in orders
    )


def moved(product: Product, seed: str) -> Product:
    """The product with other values, drawn by the seed and its id. Unknown values stay unknown."""
    random = Random(f"{seed}|values|{product.product_id}")
    ups = [random.random() < 0.5 for _ in range(3)]
    price, rating, count = (random.uniform(log(low), log(high)) for low, high in (PRICE, RATING, COUNT))
    return product.model_copy(
        update={
            "price": None if product.price is None else _price(product.price, price if ups[0] else -price),
            "average_rating": None
            if product.average_rating is None
            else _rating(product.average_rating, exp(rating), up=ups[1]),
            "rating_number": None
            if product.rating_number is None
            else max(product.rating_number and 1, round(product.rating_number * exp(count if ups[2] else -count))),
        }
    )


def _price(price: float, by: float) -> float:
    digits = 0 if price == int(price) and price >= WHOLE_FROM else 2
    return max(0.01, round(price * exp(by), digits)) if price else price


def _rating(rating: float, by: float, *, up: bool) -> float:
    """The rating moved by ``by`` stars, or the other way if it would leave 1 to 5."""
    ways = (rating + by, rating - by) if up else (rating - by, rating + by)
    return round(next((way for way in ways if 1 <= way <= 5), rating), 1)


def carried(queries: Iterable[Query], mapping: Perturbation) -> list[Query]:
    """The same queries of the same users, with the products and brands of the perturbed world.

    Query ids, users, budgets and categories stay. What was decided by records of the first world does not.
    """
    renaming, world = mapping.renaming(), {"world_fingerprint": mapping.fingerprint, "gold": None}
    return [_carried(query, renaming).model_copy(update=world) for query in queries]


def _carried(query: Query, renaming: Renaming) -> Query:
    wish = query.wish
    brands = (
        () if wish is None else (brand for want in wish.wants for brand in (*want.brands_wanted, *want.brands_unwanted))
    )
    own = {name_of(brand) for brand in brands}

    def text(old: str | None) -> str | None:
        return None if old is None else renaming.text(old, own)

    return query.model_copy(
        update={
            **{name: text(getattr(query, name)) for name in ("text", "persona", "context", "rationale")},
            "wish": None if wish is None else _wish(wish, renaming, own),
        }
    )


def _wish(wish: Wish, renaming: Renaming, own: Collection[Name]) -> Wish:
    def texts(old: Iterable[str]) -> tuple[str, ...]:
        return tuple(renaming.text(text, own) for text in old)

    def demand(old: Demand) -> Demand:
        words = {"say": renaming.text(old.say, own), "any_of": texts(old.any_of), "none_of": texts(old.none_of)}
        return old.model_copy(update=words)

    wants = (
        want.model_copy(
            update={
                "name": renaming.text(want.name, own),
                "kinds": texts(want.kinds),
                **{name: tuple(map(demand, getattr(want, name))) for name in ("must", "must_not")},
                "brands_wanted": tuple(map(renaming.name, want.brands_wanted)),
                "brands_unwanted": tuple(map(renaming.name, want.brands_unwanted)),
            }
        )
        for want in wish.wants
    )
    owned = tuple(renaming.ids.get(product_id, product_id) for product_id in wish.owned)
    return wish.model_copy(update={"wants": tuple(wants), "owned": owned})
