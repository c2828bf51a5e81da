"""Floors and the oracle, run by a process of their own.

They are told what systems that research must not know. Code of the user's own that ran in this process may have
replaced any function of it, so that what it runs here from then on proves nothing.
"""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from drretail.agents.running.system import SystemUnderTest
from drretail.env.web.sealed import SealedWeb
from drretail.env.world import World
from drretail.grounding.constraints.gold_files import write_with_gold
from drretail.records.query import Query


def run_apart(
    folder: Path,
    suts: Sequence[SystemUnderTest],
    queries: Sequence[Query],
    world: World,
    spec: str,
    *,
    seed: str,
    web: str | None,
    is_part: bool,
    environment: Mapping[str, str],
) -> bool:
    """Runs floors and the oracle into an experiment. False if another process can't open this world, or fails.

    ``environment`` is the one in which the command was given.
    """
    if world.folder is None and world.servers is None:
        return False
    web = f"sandbox:{world.web.folder}" if isinstance(world.web, SealedWeb) else web
    with TemporaryDirectory(prefix="drretail-gold-") as temporary:
        file = Path(temporary) / "queries.jsonl"
        write_with_gold(queries, file)
        options = ["--queries", str(file), "--to", str(folder), "--seed", seed, "--no-floors", "--quiet"]
        options += [] if web is None else ["--web", web]
        options += ["--only", ",".join(query.query_id for query in queries)] if is_part else []
        options += [text for sut in suts for text in ("--agent", sut.system.agent)]
        command = [sys.executable, "-m", "drretail", "run", "--world", spec, *options]
        ended = subprocess.run(  # noqa: S603 -- this interpreter, with the command that was given
            command, env={**environment}, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    return ended.returncode == 0
