"""``world perturb`` and ``queries carry``: their options and their functions."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from drretail.api.option import Option, accepts
from drretail.api.options import shared
from drretail.api.options.queries import File, Force, To
from drretail.api.options.shops import World
from drretail.api.queries.writing import write_queries
from drretail.api.worlds import place_of, server_settings
from drretail.progress import choose_progress
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Result

if TYPE_CHECKING:
    from drretail.env.manifest import Manifest
    from drretail.records.query import Query


@dataclass(frozen=True, slots=True)
class PerturbOptions:
    """Copies a world with new names and values that no model knows.

    Brands, product ids, prices and ratings are others. `drretail queries carry` adapts the queries.
    """

    world: World
    to: Annotated[str | Path, Option("The folder for the copy.", metavar="FOLDER")]
    _: KW_ONLY
    seed: shared.Seed = "42"


@dataclass(frozen=True, slots=True)
class CarryOptions:
    """Adapts queries to a world made by `world perturb`.

    The ids stay the same, so both worlds can be compared query by query.
    """

    file: File
    world: Annotated[str | Path, Option("The perturbed world's folder.", short="-w", metavar="W")]
    to: To
    _: KW_ONLY
    force: Force = False


@accepts(PerturbOptions)
def perturb(options: PerturbOptions) -> "Result[Manifest]":
    """The manifest of the world that was copied under other names."""
    from drretail.addons.perturb.perturbed_world import MAPPING, perturb_world

    to, seed, source = Path(options.to), options.seed, place_of(str(options.world))
    manifest, mapping = perturb_world(source, to, seed, servers=server_settings(), progress=choose_progress())
    document: dict[str, Any] = {
        "world": str(to),
        "fingerprint": manifest.fingerprint,
        "perturbed_from": mapping.perturbed_from,
        "seed": seed,
        "counts": manifest.counts.model_dump(),
        "names": len(mapping.brands),
        "mapping": str(to / MAPPING),
    }
    lines = [
        manifest.headline,
        f"World {to}, fingerprint {manifest.fingerprint}, made of {mapping.perturbed_from[:12]} by seed {seed}",
        f"To adapt queries to it: drretail queries carry FILE --world {to} --to FILE2",
    ]
    return Result(manifest, document, lines, path=to)


@accepts(CarryOptions)
def carry(options: CarryOptions) -> "Result[list[Query]]":
    """The queries with the perturbed world's names. Raises UserError for queries of another world."""
    from drretail.addons.perturb.perturbed_world import carried, read_perturbation
    from drretail.querygen.reading import check_made_for, read_queries

    to = Path(options.to)
    queries, mapping = read_queries(Path(options.file)), read_perturbation(Path(options.world))
    check_made_for(queries, mapping.perturbed_from)
    made = carried(queries, mapping)
    write_queries(to, made, force=options.force)
    changed = sum(one.text != other.text for one, other in zip(queries, made, strict=True))
    line = f"{counted(len(made), 'query')} → {to}; texts that name another brand or product now: {changed:,}."
    return Result(made, {"queries": len(made), "texts_changed": changed, "file": str(to)}, [line], path=to)
