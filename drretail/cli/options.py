"""Flags that are alike in every command."""

from pathlib import Path
from typing import Annotated

import typer

World = Annotated[
    str, typer.Option("--world", "-w", metavar="W", help="A world's folder, or 'demo' for the built-in one.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]
Seed = Annotated[str, typer.Option("--seed", help="The same seed gives the same result.")]
To = Annotated[Path, typer.Option("--to", help="Where the result goes.")]
Web = Annotated[
    str | None,
    typer.Option(
        "--web",
        metavar="NAME[:ARGUMENT]",
        help="The web that is searched: sandbox[:FILE], serper, searxng[:URL], a plugin's, or module:attribute.",
        show_default="sandbox",
    ),
]
