"""``perturb_world``: the same shop under other names, with other prices, and the mapping that carries queries over."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pydantic import Field, ValidationError

from drretail.data_ingest.perturb.brand_names import Name, NamesOfShop, name_of
from drretail.data_ingest.perturb.moved_values import moved
from drretail.data_ingest.perturb.renaming import Renaming
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
from drretail.records.shop import Product

MAPPING = "perturbed.json"
"""Beside the generations of the world; no tool reads it."""
RULE = 1
"""Counted up when another world comes out of the same one and seed."""
FROM = "perturbed_from"
"""The parameter of the manifest that holds the fingerprint of the world that was perturbed."""


class Perturbation(Document):
    """perturbed.json: what became what."""

    rule: int
    seed: str
    perturbed_from: str
    """Fingerprint of the world that was perturbed."""
    fingerprint: str = ""
    """Of the one that came out."""
    brands: dict[str, str] = Field(default_factory=dict[str, str])
    """By spelling, as stores and makers have them."""
    ordinary: tuple[str, ...] = ()
    """Words of names that the shop's texts use as words of the language."""
    ids: dict[str, str] = Field(default_factory=dict[str, str])
    """Of products."""

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

    Users, orders, dates and categories are the same; so is everybody's profile. The same source and seed give the same
    world. Raises UserError where there is no source, and where the folder holds something else or is the source.
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
    # Ids of Amazon's form in the order of the old ones, so that products can be written as they are read.
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
            products=_products(rows.products, renaming, seed),
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
    """The mapping beside a perturbed world; UserError for a world without one."""
    path = folder / MAPPING
    if not path.is_file():
        raise UserError(f"{folder} is no perturbed world: it has no {MAPPING}. drretail synth --perturb makes one.")
    try:
        return Perturbation.model_validate(read_json(path))
    except ValidationError as problem:
        raise UserError(f"{path} is damaged: drretail synth --perturb makes it again.") from problem


def _products(products: Iterable[Product], renaming: Renaming, seed: str) -> Iterator[Product]:
    return (renaming.product(moved(product, seed)) for product in products)


def _orders(orders: Iterable[OrderRow], ids: Mapping[str, str], seed: str) -> Iterator[OrderRow]:
    """The orders under their products' other ids; what was held out may be of a product that the shop lacks."""
    return (
        row._replace(product_id=ids.get(row.product_id) or product_id(f"{seed}|{row.product_id}")) for row in orders
    )
