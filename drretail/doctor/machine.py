"""What works on this machine and what does not: one sign for each thing that was looked at."""

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from drretail.data_ingest.engines.spark_session import OLDEST_JAVA, find_java, java_version
from drretail.env.servers.clients import hosts_of, open_elastic, open_mongo, try_elastic, try_mongo
from drretail.env.servers.naming import ServerSettings
from drretail.errors import ModelError, UserError, install_line
from drretail.grounding.text.wording import on_try
from drretail.llm.providers import PROVIDERS
from drretail.llm.registry import Model
from drretail.plugins import Kind, installed_plugins
from drretail.records.base import Record

State = Literal["ok", "absent", "broken"]
"""``absent``: something optional is not there. ``broken``: what is needed, or was asked for, does not work."""


class Sign(Record):
    """One thing that was looked at."""

    what: str
    state: State
    found: str
    prevents: str | None = None
    """What cannot be done without it."""
    mend: str | None = None
    """The command, or the step, that brings it."""


def broken(signs: Iterable[Sign]) -> list[Sign]:
    """What has to be mended before that which was asked for works."""
    return [sign for sign in signs if sign.state == "broken"]


OLDEST_PYTHON = (3, 11)
NEEDED_BYTES = 2_000_000_000
"""A world of 80,000 products and four million orders takes 0.6 GB, and as much again while it is made."""


def examine_python(version: tuple[int, ...] = tuple(sys.version_info[:3])) -> Sign:
    written = ".".join(map(str, version))
    if version[:2] >= OLDEST_PYTHON:
        return Sign(what="Python", state="ok", found=f"{written} ({sys.executable})")
    oldest = ".".join(map(str, OLDEST_PYTHON))
    return Sign(
        what="Python",
        state="broken",
        found=written,
        prevents="everything",
        mend=f"install Python {oldest} or later and make the environment anew",
    )


def examine_java(environ: Mapping[str, str]) -> Sign:
    """The Java that Spark would start, and whether Spark can use it."""
    java = find_java(environ)
    version = 0 if java is None else java_version(java)
    if java is not None and version >= OLDEST_JAVA:
        return Sign(what="Java", state="ok", found=f"{version} ({java})")
    if java is None:
        found = "none"
    else:
        found = f"{version} ({java}), which is too old" if version else f"{java}, which does not start"
    return Sign(
        what="Java",
        state="absent",
        found=found,
        prevents="ingest --engine spark",
        mend=f"install a JDK of version {OLDEST_JAVA} or later, or set JAVA_HOME to one",
    )


def examine_room(folders: Iterable[str]) -> Iterator[Sign]:
    """The room of every disk that one of the folders lies on, each disk once."""
    seen: set[int] = set()
    for folder in folders:
        path = Path(folder).absolute()
        place = next(place for place in (path, *path.parents) if place.exists())
        disk = place.stat().st_dev
        if disk in seen:
            continue
        seen.add(disk)
        free = shutil.disk_usage(place).free
        enough = free >= NEEDED_BYTES
        yield Sign(
            what=f"disk of {folder}",
            state="ok" if enough else "broken",
            found=f"{free / 1e9:.1f} GB free",
            prevents=None if enough else "making a world of the paper's size",
            mend=None if enough else f"free {NEEDED_BYTES / 1e9:.0f} GB there, or name another folder (--world, --to)",
        )


@dataclass(frozen=True, slots=True)
class Package:
    """``extra`` None: part of every installation."""

    name: str
    prevents: str
    extra: str | None = None


PACKAGES = (
    Package("langchain", "ask, run"),
    Package("langgraph", "ask, run"),
    Package("langchain-anthropic", "--model anthropic:…"),
    Package("anthropic", "--model anthropic:…"),
    Package("tantivy", "embedded worlds"),
    Package("duckdb", "ingest"),
    Package("pymongo", "--world servers:NAME"),
    Package("elasticsearch", "--world servers:NAME"),
    Package("langchain-openai", "--model openai:…, and every server that speaks its protocol", "openai"),
    Package("langchain-ollama", "--model ollama:…", "ollama"),
    Package("langchain-google-genai", "--model google:…", "google"),
    Package("starlette", "view", "ui"),
    Package("uvicorn", "view", "ui"),
    Package("mcp", "mcp", "mcp"),
    Package("pyspark", "ingest --engine spark", "spark"),
)


def examine_packages(packages: tuple[Package, ...] = PACKAGES) -> Iterator[Sign]:
    for package in packages:
        try:
            yield Sign(what=package.name, state="ok", found=version(package.name))
        except PackageNotFoundError:
            yield Sign(
                what=package.name,
                state="broken" if package.extra is None else "absent",
                found="not installed",
                prevents=package.prevents,
                mend=install_line(package.name),
            )


def examine_plugins(kinds: Mapping[str, Kind]) -> Iterator[Sign]:
    """Every plugin of an installed package, loaded by what ``kinds`` holds for its group; a broken one is no fault."""
    for plugin in installed_plugins(kinds):
        found = f"{plugin.package} {plugin.version}"
        if plugin.problem is None:
            yield Sign(what=f"plugin {plugin.name} ({plugin.kind})", state="ok", found=found)
        else:
            yield Sign(
                what=f"plugin {plugin.name} ({plugin.kind})",
                state="absent",
                found=f"{found}: {plugin.problem}",
                prevents=f"{plugin.name}; everything else goes on without it",
                mend=f"install a version of {plugin.package} that loads, or uninstall it",
            )


GREETING = "Answer with the one word: ready"


def examine_keys(environ: Mapping[str, str]) -> Iterator[Sign]:
    for name, provider in PROVIDERS.items():
        if not provider.key_variables:
            continue
        present = [variable for variable in provider.key_variables if environ.get(variable)]
        if present:
            yield Sign(what=f"key of {name}", state="ok", found=f"{present[0]} is set")
        else:
            yield Sign(
                what=f"key of {name}",
                state="absent",
                found=f"{' or '.join(provider.key_variables)} is not set",
                prevents=f"--model {name}:… (offline:shopper and offline:judge need none)",
                mend=f"export {provider.key_variables[0]}=…",
            )


def examine(environ: Mapping[str, str], folders: Iterable[str]) -> list[Sign]:
    """All that can be seen without asking anybody; ``folders`` are those that drretail writes to."""
    return [
        examine_python(),
        *examine_packages(),
        *examine_keys(environ),
        examine_java(environ),
        *examine_room(folders),
    ]


async def examine_models(specs: Sequence[str], opened: Callable[[str], Model]) -> list[Sign]:
    """Asks each model for one word, one after the other; this costs a few tokens, so it is done only when wanted."""
    return [await _examine_model(spec, opened) for spec in dict.fromkeys(specs)]


async def _examine_model(spec: str, opened: Callable[[str], Model]) -> Sign:
    from langchain_core.messages import HumanMessage

    from drretail.llm.calling import Attempts, answer_of
    from drretail.llm.denials import Halt

    attempts = Attempts()
    try:
        answer = await answer_of(replace(opened(spec), halt=Halt()), [HumanMessage(GREETING)], attempts=attempts)
    except UserError as problem:
        return _unusable(spec, str(problem))
    except ModelError as problem:
        return _unusable(spec, f"{problem.kind}: {problem.message}")
    late = f" {on_try(len(attempts.failed) + 1)} ({attempts.failed[0]})" if attempts.failed else ""
    return Sign(what=f"model {spec}", state="ok", found=f"answers{late}: {' '.join(answer.text.split())[:40]}")


def _unusable(spec: str, found: str) -> Sign:
    return Sign(
        what=f"model {spec}",
        state="broken",
        found=found,
        prevents=f"--model {spec}",
        mend="check the model's name, its key and its address (--base-url, drretail.toml)",
    )


PREVENTS = "--world servers:NAME (worlds in folders need no server)"
PATIENCE = 4.0
"""Seconds at most for each: who has no servers should not wait for them."""
DATABASE = "drretail"
"""A name that need not exist: what counts is that it may be looked for."""


def examine_servers(settings: ServerSettings, *, mongo_is_set: bool, es_is_set: bool) -> Iterator[Sign]:
    """Both servers at their addresses; one that is only supposed there by default may be absent."""
    asked = replace(settings, timeout=min(settings.timeout, PATIENCE))
    yield _sign("MongoDB", hosts_of(asked.mongo_url), lambda: _mongo_version(asked), needed=mongo_is_set)
    yield _sign("Elasticsearch", hosts_of(asked.es_url), lambda: _elastic_version(asked), needed=es_is_set)


def _sign(what: str, where: str, version: Callable[[], str], *, needed: bool) -> Sign:
    try:
        return Sign(what=what, state="ok", found=f"{version()} at {where}")
    except UserError as problem:
        found, _, mend = str(problem).partition(": ")
        state = "broken" if needed else "absent"
        return Sign(what=what, state=state, found=found, prevents=PREVENTS, mend=mend or str(problem))


def _mongo_version(settings: ServerSettings) -> str:
    with closing(open_mongo(settings)) as client:
        return try_mongo(client, settings, DATABASE)


def _elastic_version(settings: ServerSettings) -> str:
    with closing(open_elastic(settings)) as client:
        return try_elastic(client, settings)
