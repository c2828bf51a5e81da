"""What works on this machine and what does not: one sign for each thing examined."""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal, cast

from drretail.api.models import Opener
from drretail.env.servers.clients import hosts_of, open_elastic, open_mongo
from drretail.env.servers.naming import ServerSettings
from drretail.errors import ModelError, UserError, install_line
from drretail.event_loop import run_loop
from drretail.llm.faults import Halt
from drretail.llm.providers import PROVIDERS
from drretail.plugins import Plugins
from drretail.records.base import Record
from drretail.records.models import ModelChoice

CHECKS = Plugins("check of a machine", {}, "drretail.machine_checks")
State = Literal["ok", "absent", "broken"]
"""``absent``: something optional is missing. ``broken``: something needed, or requested, does not work."""


class Sign(Record):
    """The state of one thing that was examined."""

    what: str
    state: State
    found: str
    prevents: str | None = None
    """What cannot be done without it."""
    mend: str | None = None
    """The command or the step that fixes it."""


def works(what: str, detail: str) -> Sign:
    return Sign(what=what, state="ok", found=detail)


def lacks(what: str, detail: str, prevents: str, mend: str, *, is_needed: bool = False) -> Sign:
    """The sign of a thing that does not work. ``is_needed``: everything, or what was requested, depends on it."""
    return Sign(what=what, state="broken" if is_needed else "absent", found=detail, prevents=prevents, mend=mend)


def broken(signs: Iterable[Sign]) -> list[Sign]:
    """The signs of what must be fixed before everything requested works."""
    return [sign for sign in signs if sign.state == "broken"]


NEEDED_BYTES = 2_000_000_000
"""A world of 80,000 products and four million orders takes 0.6 GB, and as much again while it is made."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package that an extra brings, and what needs it."""

    name: str
    prevents: str
    extra: str


PACKAGES = (
    Package("langchain-openai", "--model openai:…, and every server that speaks its protocol", "openai"),
    Package("langchain-ollama", "--model ollama:…", "ollama"),
    Package("langchain-google-genai", "--model google:…", "google"),
    Package("starlette", "view", "ui"),
    Package("uvicorn", "view", "ui"),
    Package("mcp", "mcp", "mcp"),
    Package("pyspark", "ingest --engine spark", "spark"),
    Package("pillow", "receipts of sandbox build", "sandbox"),
    Package("markitdown", "PDF and Office files", "documents"),
    Package("inspect-ai", "the task of inspect_ai, and logs for it", "inspect"),
    Package("verifiers", "the gym as a taskset of verifiers", "verifiers"),
    Package("openenv-core", "the gym as a server of OpenEnv", "openenv"),
)


def examine_packages() -> Iterator[Sign]:
    for package in PACKAGES:
        try:
            yield works(package.name, version(package.name))
        except PackageNotFoundError:
            yield lacks(package.name, "not installed", package.prevents, install_line(package.extra))


def examine(environ: Mapping[str, str], folders: Iterable[str]) -> Iterator[Sign]:
    """All that can be checked without a server or a model; ``folders`` are those that drretail writes to."""
    yield works("Python", f"{'.'.join(map(str, sys.version_info[:3]))} ({sys.executable})")
    yield from examine_packages()
    for name, provider in PROVIDERS.items():
        if not provider.key_variables:
            continue
        present = [variable for variable in provider.key_variables if environ.get(variable)]
        if present:
            yield works(f"key of {name}", f"{present[0]} is set")
        else:
            detail = f"{' or '.join(provider.key_variables)} is not set"
            prevents = f"--model {name}:… (offline:shopper and offline:judge need none)"
            yield lacks(f"key of {name}", detail, prevents, f"export {provider.key_variables[0]}=…")
    for name in CHECKS.own:  # what add-ons need besides packages, such as Java
        yield cast(Callable[[Mapping[str, str]], Sign], CHECKS.load(name)[1])(environ)
    seen: set[int] = set()  # each disk once
    for folder in folders:
        path = Path(folder).absolute()
        place = next(place for place in (path, *path.parents) if place.exists())
        disk = place.stat().st_dev
        if disk in seen:
            continue
        seen.add(disk)
        free = shutil.disk_usage(place).free
        what, detail = f"disk of {folder}", f"{free / 1e9:.1f} GB free"
        if free >= NEEDED_BYTES:
            yield works(what, detail)
        else:
            mend = f"free {NEEDED_BYTES / 1e9:.0f} GB there, or name another folder (--world, --to)"
            yield lacks(what, detail, "making a world of the paper's size", mend, is_needed=True)


def examine_model(spec: str, opener: Opener) -> Sign:
    """Asks a model for one word. It costs a few tokens, so only named models are asked."""
    from langchain_core.messages import HumanMessage

    from drretail.llm.calling import Attempts, answer_of

    attempts = Attempts()
    try:
        (model,) = opener.open_all([ModelChoice(model=spec)])
        model = replace(model, halt=Halt())
        answer = run_loop(answer_of(model, [HumanMessage("Answer with the one word: ready")], attempts=attempts))
    except (UserError, ModelError) as problem:
        detail = str(problem) if isinstance(problem, UserError) else f"{problem.kind}: {problem.message}"
        mend = "check the model's name, its key and its address (--base-url, drretail.toml)"
        return lacks(f"model {spec}", detail, f"--model {spec}", mend, is_needed=True)
    late = f" on try {len(attempts.failed) + 1} ({attempts.failed[0]})" if attempts.failed else ""
    return works(f"model {spec}", f"answers{late}: {' '.join(answer.text.split())[:40]}")


PREVENTS = "--world servers:NAME (worlds in folders need no server)"
PATIENCE = 4.0
"""The most seconds to wait for each server: a person without servers should not wait for them."""
DATABASE = "drretail"
"""A name that need not exist: what matters is the right to look for it."""


def examine_servers(settings: ServerSettings, *, mongo_is_set: bool, es_is_set: bool) -> Iterator[Sign]:
    """Both servers at their addresses. A server that is only looked for at the default address may be absent."""
    patient = replace(settings, timeout=min(settings.timeout, PATIENCE))

    def mongo() -> str:
        client, version = open_mongo(patient, DATABASE)
        client.close()
        return version

    def elastic() -> str:
        client, version = open_elastic(patient)
        client.close()
        return version

    yield _sign("MongoDB", hosts_of(patient.mongo_url), mongo, needed=mongo_is_set)
    yield _sign("Elasticsearch", hosts_of(patient.es_url), elastic, needed=es_is_set)


def _sign(what: str, where: str, version: Callable[[], str], *, needed: bool) -> Sign:
    try:
        return works(what, f"{version()} at {where}")
    except UserError as problem:
        detail, _, mend = str(problem).partition(": ")
        return lacks(what, detail, PREVENTS, mend or str(problem), is_needed=needed)
