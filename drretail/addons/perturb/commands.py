"""``world perturb`` and ``queries carry``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.addons.perturb.options import CarryOptions, PerturbOptions
from drretail.api.option import accepts
from drretail.api.queries.writing import write_queries
from drretail.api.worlds import place_of, server_settings
from drretail.progress import choose_progress
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Result

if TYPE_CHECKING:
    from drretail.env.manifest import Manifest
    from drretail.records.query import Query


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
