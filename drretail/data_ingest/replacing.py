"""Whether a live world may be replaced: the very same world is recognised, another is replaced only on request."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from drretail.data_ingest.plan import Plan
from drretail.data_ingest.raw.sources import file_state
from drretail.data_ingest.stages import source_files
from drretail.env.manifest import Manifest, SourceFile
from drretail.errors import UserError
from drretail.progress import Progress
from drretail.records.base import sha256_of
from drretail.records.tables.figures import counted, first_few

_NAMED_FILES = 3


def check_replaceable(
    name: str, live: Manifest, plan: Plan, options: Mapping[str, Any], workers: int, progress: Progress
) -> None:
    """Raises UserError that names the live world and the differences, unless both worlds have the same files and
    options.

    ``options`` are all options by their names in a manifest.
    """
    there = {**live.parameters, "seed": live.seed, "since": live.since, "analyzer": live.analyzer}
    there["profile pool"] = live.profile_pool
    other = [
        *_other_files(live.sources, plan, workers, progress),
        *[
            f"{name.replace('_', ' ')} {_written(options.get(name))} instead of {_written(there.get(name))}"
            for name in sorted({*there, *options})
            if options.get(name) != there.get(name)
        ],
    ]
    if other:
        raise UserError(
            f"{name} holds another world: {live.headline} (fingerprint {live.fingerprint[:12]}). What would come has "
            f"{'; '.join(other)}. Add --force to put it in the place of what is there, or give it a place of its own."
        )


def _other_files(there: Sequence[SourceFile], plan: Plan, workers: int, progress: Progress) -> list[str]:
    """How the plan's files differ from those of the live world. They are hashed only if names and sizes agree and times
    differ.
    """
    states = [(name, *file_state(path)) for name, path in plan.files()]
    if [state[:2] for state in states] != [(source.name, source.size) for source in there]:
        return [
            f"{_files([state[:2] for state in states])} instead of {_files([(file.name, file.size) for file in there])}"
        ]
    if [state[2] for state in states] == [source.modified for source in there]:
        return []
    with TemporaryDirectory(prefix="drretail-digests-") as folder:
        files = source_files(plan, Path(folder), workers, progress)
    changed = [new.name for new, old in zip(files, there, strict=True) if new.sha256 != old.sha256]
    return [f"other rows in {first_few(changed, _NAMED_FILES)}"] if changed else []


def _files(files: Sequence[tuple[str, int]]) -> str:
    """ "2 files of 40.5 MB (meta_Pet_Supplies.jsonl, Pet_Supplies.jsonl)"."""
    if not files:
        return "rows of no file"
    size = sum(size for _, size in files) / 1e6
    return f"{counted(len(files), 'file')} of {size:,.1f} MB ({first_few([name for name, _ in files], _NAMED_FILES)})"


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return sha256_of(value)[:8]
    return "none" if value is None else str(value)[:20]
