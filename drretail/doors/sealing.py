"""Whether a command can have a network of its own here, and how it is started in one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from drretail.doors.gateway import Gateway

Network = Literal["sealed", "proxy", "settings"]
"""How a command reaches the gateway, the strictest first: by any address, by proxy variables, by its settings alone."""
NETWORKS: tuple[Network, ...] = ("sealed", "proxy", "settings")
_UNSHARE = ("unshare", "--map-root-user", "--net", "--mount")


@cache
def why_unsealed() -> str | None:
    """Why this machine gives a command no network of its own, in words; None if it does."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return "it needs Linux with util-linux's unshare"
    bare = ["mount", "-t", "tmpfs", "tmpfs", "/run"]
    tried = subprocess.run([*_UNSHARE, *bare], capture_output=True, text=True, timeout=30)  # noqa: S603
    return f"the kernel refuses: {tried.stderr.strip()[:200]}" if tried.returncode else None


def sealed(words: Sequence[str], place: "Gateway") -> list[str]:
    """The command in a network that leads to the gateway alone. It is root there, as which it is this user outside."""
    script = Path(__file__).with_name("sealed_command.py")
    return [*_UNSHARE, sys.executable, "-I", os.fspath(script), os.fspath(place.folder), str(place.port), *words]
