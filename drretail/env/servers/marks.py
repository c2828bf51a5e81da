"""The marks on what a world keeps on servers: nothing without one is written, replaced or dropped.

    MongoDB         each collection's validator, which checks nothing, is a comment that holds the mark; so does the
                    document of ``worlds``
    Elasticsearch   each index's mapping holds the mark as ``_meta.drretail``

The mark of an index names the database that it belongs to by the UUID of its collection ``worlds``. No other database
has it, not even a restored copy, so that two databases over one Elasticsearch cannot delete each other's indices.
"""

import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NoReturn, Self

from pydantic import Field, ValidationError
from pymongo.errors import OperationFailure

from drretail import __version__
from drretail.env.clients import Servers, hosts_of
from drretail.env.naming import KEY, SPEC_PREFIX
from drretail.errors import UserError
from drretail.records.base import Record

WORLDS = "worlds"
LIVE = {"_id": "live"}
TABLES = ("products", "users", "orders")
COLLECTION = re.compile(rf"g({KEY})_(?:{'|'.join(TABLES)})")
EXISTS = 48
"""MongoDB's code for a collection that is there already."""
Shown = Annotated[str, Field(max_length=200, pattern=r"^[ -~]*$")]
"""A text of a mark that a message shows; anybody may have written it."""


class Mark(Record):
    """Whose a collection, an index or a document is."""

    program: Literal["drretail"] = "drretail"
    version: Shown = __version__
    world: Shown
    key: Shown = ""
    """The generation's; empty for what all generations share."""
    database: Shown = ""
    """The UUID of the collection ``worlds`` in the database that an index belongs to."""
    mongo: Shown = ""
    """The hosts of that database, as its loader reached it."""
    holder: Shown = Field(default_factory=lambda: f"process {os.getpid()} on {socket.gethostname()}")
    """Who made it."""

    @classmethod
    def of(cls, servers: Servers, key: str = "", database: str = "") -> Self:
        return cls(world=servers.name, key=key, database=database, mongo=hosts_of(servers.settings.mongo_url))


def read_mark(value: object) -> Mark | None:
    """The mark; None if the value is none."""
    try:
        return Mark.model_validate(value)
    except ValidationError:
        return None


def index_name(world: str, key: str) -> str:
    return f"{world}-g{key}"


def is_closed(about: Mapping[str, Any]) -> bool:
    """True if an index, as Elasticsearch describes it with its settings, is closed."""
    return about["settings"]["index"].get("verified_before_close") == "true"


@dataclass(slots=True)
class Owned:
    """What carries the mark of one world in one database."""

    database: str = ""
    """The UUID of its collection ``worlds``; empty if there is none."""
    collections: dict[str, str] = field(default_factory=dict[str, str])
    """Names of the collections of generations, with the key of each."""
    indices: dict[str, str] = field(default_factory=dict[str, str])
    aliased: list[str] = field(default_factory=list[str])
    """The indices that the world's name is an alias of."""
    closed: list[str] = field(default_factory=list[str])


def owned(servers: Servers) -> Owned:
    """What the world of this name has on both servers.

    Raises UserError if anything under one of its names has no mark, or is another database's: one of these would be
    written, replaced or dropped.
    """
    ours = Owned()
    _add_collections(servers, ours)
    _add_indices(servers, ours)
    return ours


def _add_collections(servers: Servers, ours: Owned) -> None:
    here = f"MongoDB at {hosts_of(servers.settings.mongo_url)}"
    found = {each["name"]: each for each in servers.database.list_collections()}
    if WORLDS not in found:
        others = sorted(name for name in found if not name.startswith("system.") and not COLLECTION.fullmatch(name))
        if others:
            _refuse(servers, here, f"the collection {others[0]!r} in a database of this name", None)
    for name, about in found.items():
        match = COLLECTION.fullmatch(name)
        if match is None and name != WORLDS:
            continue
        mark = read_mark(about.get("options", {}).get("validator", {}).get("$comment"))
        if mark is None or (mark.world, mark.key) != (servers.name, match[1] if match else ""):
            _refuse(servers, here, f"the collection {name!r} in a database of this name", mark)
        if match is None:
            ours.database = bytes(about["info"]["uuid"]).hex()
        else:
            ours.collections[name] = match[1]
    document = servers.database[WORLDS].find_one(LIVE, {"mark": True})
    if document is not None and read_mark(document.get("mark")) is None:
        _refuse(servers, here, f"the document {LIVE['_id']!r} in the collection {WORLDS!r}", None)


def _add_indices(servers: Servers, ours: Owned) -> None:
    world, here = servers.name, f"Elasticsearch at {hosts_of(servers.settings.es_url)}"
    pattern = re.compile(index_name(re.escape(world), f"({KEY})"))
    found: dict[str, Any] = servers.elastic.indices.get(
        index=[world, index_name(world, "*")],
        features="aliases,mappings,settings",
        expand_wildcards="all",  # closed and hidden ones too
        ignore_unavailable=True,
    ).body
    for index, about in found.items():
        match, names = pattern.fullmatch(index), (index, about.get("data_stream"), *about["aliases"])
        if not any(name == world or pattern.fullmatch(name or "") for name in names):
            continue
        mark = read_mark(about["mappings"].get("_meta", {}).get("drretail"))
        is_ours = mark is not None and match is not None and (mark.world, mark.key) == (world, match[1])
        if mark is None or not is_ours or mark.database != ours.database:
            _refuse(servers, here, f"the index {index!r}", mark)
        ours.indices[index] = mark.key
        ours.aliased += [index] * (world in about["aliases"])
        ours.closed += [index] * is_closed(about)


def _refuse(servers: Servers, here: str, what: str, mark: Mark | None) -> NoReturn:
    this = f"{SPEC_PREFIX}{servers.name} in MongoDB at {hosts_of(servers.settings.mongo_url)}"
    if mark is None:
        raise UserError(
            f"{here} has {what}, which drretail did not make, and {this} needs its name. Nothing was changed: choose "
            "another name for the world, or remove the other yourself."
        )
    raise UserError(
        f"{here} has {what}, which belongs to {SPEC_PREFIX}{mark.world} in another database (MongoDB at {mark.mongo}, "
        f"made by {mark.holder}) and not to {this}. Nothing was changed: choose another name for the world. If that "
        "database is gone, remove the other yourself."
    )


def claim(servers: Servers) -> Owned:
    """``owned``, once the world has its collection ``worlds``, which is made if it is missing. Raises as ``owned``."""
    if not owned(servers).database:
        try:
            create_marked(servers, WORLDS, Mark.of(servers))
        except OperationFailure as problem:
            if problem.code != EXISTS:  # else another load has made it, and its mark is read below
                raise
    return owned(servers)


def create_marked(servers: Servers, collection: str, mark: Mark) -> None:
    """Creates a collection with its mark. Raises OperationFailure if there is one of this name."""
    servers.database.create_collection(
        collection, validator={"$comment": mark.model_dump(mode="json")}, validationLevel="off", check_exists=False
    )
