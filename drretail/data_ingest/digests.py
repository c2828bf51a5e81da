"""The sha256 of raw files, for the manifest: computed once, also when an ingest is started again."""

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from drretail.data_ingest.chunks import Tell
from drretail.data_ingest.crew import Crew, Job
from drretail.data_ingest.meter import Meter
from drretail.data_ingest.plan import Plan
from drretail.data_ingest.sources import reading
from drretail.data_ingest.stages import stage_key
from drretail.env.manifest import SourceFile
from drretail.files import write_atomically
from drretail.progress import Progress


def source_files(plan: Plan, work: Path, workers: int, progress: Progress) -> Sequence[SourceFile]:
    """Name, size and sha256 of every file of the plan, in its order; digests are kept in ``work``."""
    jobs, kept, sizes = list[Job](), list[Path](), list[int]()
    for item in plan.inputs:
        path = item.source.path
        with reading(path):
            state = path.stat()
        kept.append(work / stage_key(str(path.resolve()), state.st_size, state.st_mtime_ns))
        sizes.append(state.st_size)
        if not kept[-1].is_file():
            jobs.append(partial(write_digest, path, state.st_size, kept[-1]))
    with Meter.over(progress, "hashing files", sum(sizes), len(jobs)) as meter, Crew(workers) as crew:
        crew.do(jobs, meter.tell)
    return [
        SourceFile(name=item.name, size=size, sha256=file.read_text(encoding="utf-8"))
        for item, size, file in zip(plan.inputs, sizes, kept, strict=True)
    ]


def write_digest(path: Path, size: int, target: Path, tell: Tell) -> None:
    """The file's sha256 as the text of the file ``target``."""
    with reading(path), path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    write_atomically(target, digest)
    tell(size, 0)
