"""Flags that are alike in every command."""

from pathlib import Path
from typing import Annotated

import typer

World = Annotated[
    str,
    typer.Option("--world", "-w", metavar="W", help="A world's folder, servers:NAME, or 'demo' for the built-in one."),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]
Seed = Annotated[str, typer.Option("--seed", help="The same seed gives the same result.")]
To = Annotated[Path, typer.Option("--to", help="Where the result goes.")]
MaterializeUsers = Annotated[
    bool,
    typer.Option("--materialize-users", help="On servers: write every user's profile out instead of deriving it."),
]
