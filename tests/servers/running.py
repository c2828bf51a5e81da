"""Real servers of one test run: started when first needed, shared by its worker processes, stopped with it."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from drretail.env.naming import ServerSettings

Kind = Literal["mongo", "elasticsearch"]
SCRIPTS = Path(__file__).parent
OWNER = "DRRETAIL_TEST_RUN"
"""Environment variable: the process id of the test run, which worker processes inherit."""
GIVEN: dict[Kind, str] = {"mongo": "MONGO_URL", "elasticsearch": "ES_URL"}
"""Environment variables with the address of a server that is there already."""


class CannotStart(Exception):
    """The server does not run on this machine; the message says why."""


def own_this_run() -> None:
    """To be called once by the process that starts the workers."""
    os.environ[OWNER] = str(os.getpid())


def address(kind: Kind) -> str:
    """The URL of a server that answers. Raises CannotStart, on later calls at once."""
    given = os.environ.get(GIVEN[kind])
    if given:
        return given
    with starting_alone():
        url, failed = folder() / f"{kind}.url", folder() / f"{kind}.failed"
        if failed.exists():
            raise CannotStart(failed.read_text(encoding="utf-8"))
        if not url.exists():
            try:
                url.write_text(start(kind, folder(), end_with=os.environ[OWNER]), encoding="utf-8")
            except CannotStart as problem:
                failed.write_text(str(problem), encoding="utf-8")
                raise
        return url.read_text(encoding="utf-8")


def start(kind: Kind, where: Path, *, end_with: str | None = None, **environment: str) -> str:
    """Starts a server with its data in ``where`` and gives its URL; ``stop`` ends it.

    ``end_with``: a process id; when that process is gone, the server is stopped.
    """
    settings = {"PYTHON": sys.executable, "END_WITH": end_with or "", **environment}
    script = SCRIPTS / f"start_{kind}.sh"
    with subprocess.Popen(
        [script, where],
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is not for it: half started, a server would be nobody's
    ) as starting:
        try:
            out, errors = starting.communicate()
        except BaseException:
            starting.communicate()
            stop(where)
            raise
    if starting.returncode:
        lines = errors.strip().splitlines() or [f"{script.name} ended with status {starting.returncode}"]
        raise CannotStart(lines[-1])
    return out.strip()


def stop(where: Path) -> None:
    """Ends the servers whose data lie in ``where``, and removes it."""
    subprocess.run([SCRIPTS / "stop.sh", where], check=True, capture_output=True)
    shutil.rmtree(where, ignore_errors=True)


def stop_those_of_this_run() -> None:
    if os.environ.get(OWNER) == str(os.getpid()) and folder().exists():
        stop(folder())


def folder() -> Path:
    """Of the servers of this run; the user nobody may enter it."""
    return Path(tempfile.gettempdir()) / f"drretail-servers-{os.environ[OWNER]}"


@contextmanager
def starting_alone() -> Generator[None]:
    folder().mkdir(exist_ok=True)
    with (folder() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def remove_world(settings: ServerSettings, name: str) -> None:
    """Removes the database and the indices of a world, whatever state they are in."""
    # Every test run reads this file, and these two cost half a second.
    from elasticsearch import Elasticsearch, NotFoundError
    from pymongo import MongoClient

    with MongoClient[dict[str, Any]](settings.mongo_url) as mongo:
        mongo.drop_database(name)
    with Elasticsearch(settings.es_url) as elastic:
        for index in elastic.indices.get(index=f"{name}-*"):
            with suppress(NotFoundError):
                elastic.indices.delete(index=index)
