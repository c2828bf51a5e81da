"""What a world on servers is called: ``servers:NAME``."""

import re
from pathlib import Path

from drretail.errors import UserError

SPEC_PREFIX = "servers:"
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,37}")
# Such a name would be that of another world's index.
INDEX_LIKE = re.compile(r".*-g[0-9]+")


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
    return name
