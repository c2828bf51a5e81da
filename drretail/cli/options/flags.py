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
Web = Annotated[
    str | None,
    typer.Option(
        "--web",
        metavar="NAME[:ARGUMENT]",
        help="The web that is searched: sandbox[:FILE], serper, searxng[:URL], a plugin's, or module:attribute.",
        show_default="sandbox",
    ),
]
MaterializeUsers = Annotated[
    bool,
    typer.Option("--materialize-users", help="On servers: write every user's profile out instead of deriving it."),
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="FAMILY", help="Take web, catalog, user or calculator away; may be repeated."),
]
Preset = Annotated[
    str | None, typer.Option("--preset", metavar="NAME", help="closed_book, web_only or tools_only: several at once.")
]
Redact = Annotated[bool, typer.Option("--redact", help="Take personal data out of web searches before they leave.")]
Model = Annotated[
    list[str] | None,
    typer.Option("--model", metavar="[ROLE=]PROVIDER:MODEL", help="Which model plays; offline without one."),
]
ModelProfile = Annotated[
    str | None,
    typer.Option(
        "--model-profile", metavar="NAME", help="Models and judges under one name: default, cheap, paper-like."
    ),
]
BaseUrl = Annotated[
    list[str] | None,
    typer.Option("--base-url", metavar="[PROVIDER=]URL", help="Where a compatible server answers; may be given again."),
]
Estimate = Annotated[bool, typer.Option("--estimate", help="Say what it would take, and send nothing.")]
