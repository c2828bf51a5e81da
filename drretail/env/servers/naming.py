"""What a world on servers is called: ``servers:NAME``."""

import re
from pathlib import Path

from drretail.errors import UserError

SPEC_PREFIX = "servers:"
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,37}")
# Such a name would be that of another world's index.
INDEX_LIKE = re.compile(r".*-g[0-9]+")
# MongoDB's own databases.
RESERVED = frozenset({"admin", "config", "local"})
# Of indices with these beginnings Elasticsearch's own templates make data streams, and refuse any other.
RESERVED_BEGINNINGS = ("logs-", "metrics-", "profiling-", "synthetics-", "traces-")
NEARLY = re.compile(r"servers?:\s*(.*)", re.IGNORECASE)


def is_on_servers(spec: str | Path) -> bool:
    """True for "servers:NAME"; a folder of that name is ./servers:NAME."""
    return isinstance(spec, str) and spec.startswith(SPEC_PREFIX)


def world_name(spec: str) -> str:
    """NAME of "servers:NAME"; UserError where it cannot be the name of both a database and an index."""
    name = spec.removeprefix(SPEC_PREFIX)
    if not NAME.fullmatch(name) or INDEX_LIKE.fullmatch(name):
        raise UserError(
            f"{spec!r} cannot name a world on servers: after '{SPEC_PREFIX}' come at most 38 of a-z, 0-9, '_' and '-', "
            "the first a letter or digit, and not '-g' with a number at the end."
        )
    if name in RESERVED:
        raise UserError(f"{spec!r} cannot name a world on servers: {name!r} is a database of MongoDB's own.")
    if name.startswith(RESERVED_BEGINNINGS):
        raise UserError(
            f"{spec!r} cannot name a world on servers: Elasticsearch keeps names with {name.partition('-')[0]!r} and "
            "'-' in front for data streams."
        )
    return name


def check_place(spec: str | Path) -> None:
    """Raises UserError for a name of a folder that is not there and was probably to be one on servers."""
    nearly = NEARLY.fullmatch(spec) if isinstance(spec, str) and not is_on_servers(spec) else None
    if nearly is not None and not Path(str(spec)).exists():
        raise UserError(
            f"There is no folder {str(spec)!r}. A world on servers goes by '{SPEC_PREFIX}{nearly[1].lower()}', a "
            f"folder of this name by './{spec}'."
        )
