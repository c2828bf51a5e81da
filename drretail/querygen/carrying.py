"""Queries of a world, carried over into one that was perturbed."""

from collections.abc import Iterable

from drretail.data_ingest.perturb.brand_names import name_of
from drretail.data_ingest.perturb.perturbed_world import Perturbation
from drretail.data_ingest.perturb.renaming import Renaming
from drretail.querygen.reading import check_made_for
from drretail.records.query import Demand, Query


def carried(queries: Iterable[Query], mapping: Perturbation) -> list[Query]:
    """The same queries of the same users, with the products and brands of the perturbed world.

    Ids, users, budgets and categories stay. Raises UserError for a query of another world than the one that was
    perturbed.
    """
    held = [*queries]
    check_made_for(held, mapping.perturbed_from)
    renaming = mapping.renaming()
    return [_carried(it, renaming).model_copy(update={"world_fingerprint": mapping.fingerprint}) for it in held]


def _carried(query: Query, renaming: Renaming) -> Query:
    demanded = query.constraints
    own = {name_of(it) for it in (*demanded.brands_wanted, *demanded.brands_unwanted)}

    def text(said: str | None) -> str | None:
        return None if said is None else renaming.text(said, own)

    def demands(held: tuple[Demand, ...]) -> tuple[Demand, ...]:
        return tuple(it.model_copy(update={"property": text(it.property), "of": text(it.of)}) for it in held)

    constraints = demanded.model_copy(
        update={
            "brands_wanted": tuple(map(renaming.name, demanded.brands_wanted)),
            "brands_unwanted": tuple(map(renaming.name, demanded.brands_unwanted)),
            "must": demands(demanded.must),
            "must_not": demands(demanded.must_not),
            "quantities": {str(text(thing)): count for thing, count in demanded.quantities.items()},
            "owned": tuple(renaming.ids.get(it, it) for it in demanded.owned),
        }
    )
    return query.model_copy(
        update={
            **{name: text(getattr(query, name)) for name in ("text", "persona", "context", "rationale")},
            "constraints": constraints,
        }
    )
