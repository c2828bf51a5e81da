"""What is finished of an ingest, kept beside the world until it is complete: each stage a folder, whole or absent."""

import os
import shutil
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from drretail.env.generations import STAGES, sync_tree, writer_lock
from drretail.files import sync_folder
from drretail.records.base import sha256_of

_UNFINISHED = ".part-"
# Part of every key: stages of another layout are of no use.
LAYOUT = 1


def stage_key(*parts: Any) -> str:
    """A name for everything that decides what a stage holds."""
    return sha256_of([LAYOUT, *parts])[:16]


@contextmanager
def making(stage: Path) -> Generator[Path]:
    """A new folder that becomes ``stage`` when the ``with`` block ends without an error, and is gone otherwise."""
    unfinished = stage.with_name(f"{_UNFINISHED}{os.getpid()}-{stage.name}")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    try:
        yield unfinished
        sync_tree(unfinished)
        # A worker that outlived its run may have finished the same stage meanwhile.
        if not stage.is_dir():
            unfinished.rename(stage)
            sync_folder(stage.parent)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


@contextmanager
def stages_in(world: Path) -> Generator[Path]:
    """The folder of stages beside a world that is being made; one ingest at a time."""
    folder = world / STAGES
    folder.mkdir(parents=True, exist_ok=True)
    with writer_lock(folder):
        for leftover in list(folder.rglob(f"{_UNFINISHED}*")):
            shutil.rmtree(leftover, ignore_errors=True)
        yield folder


def keep_only(folder: Path, names: Iterable[str]) -> None:
    """Removes the stages of other inputs and options, which would never be used and may be large."""
    kept = set(names)
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name not in kept:
            shutil.rmtree(entry)


def remove_stages(world: Path) -> None:
    """Nothing is left of the stages, nor of the world's folder where it was made for them."""
    shutil.rmtree(world / STAGES, ignore_errors=True)
    if world.is_dir() and not any(world.iterdir()):
        world.rmdir()
