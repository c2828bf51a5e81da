"""Queries of a world, carried over into one that was perturbed."""

from collections.abc import Collection, Iterable

from drretail.data_ingest.perturb.brand_names import Name, name_of
from drretail.data_ingest.perturb.perturbed_world import Perturbation
from drretail.data_ingest.perturb.renaming import Renaming
from drretail.records.query import Query
from drretail.records.wish import Wish


def carried(queries: Iterable[Query], mapping: Perturbation) -> list[Query]:
    """The same queries of the same users, with the products and brands of the perturbed world.

    Ids, users, budgets and categories stay.
    """
    renaming, world = mapping.renaming(), {"world_fingerprint": mapping.fingerprint}
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

    wants = (
        want.model_copy(
            update={
                "name": renaming.text(want.name, own),
                **{name: texts(getattr(want, name)) for name in ("kinds", "must", "must_not")},
                "brands_wanted": tuple(map(renaming.name, want.brands_wanted)),
                "brands_unwanted": tuple(map(renaming.name, want.brands_unwanted)),
            }
        )
        for want in wish.wants
    )
    owned = tuple(renaming.ids.get(product_id, product_id) for product_id in wish.owned)
    return wish.model_copy(update={"wants": tuple(wants), "owned": owned})
