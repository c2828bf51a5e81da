"""``drretail prompts``: what agents, judges and makers of queries are told, as files to change and use instead."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from drretail.api.option import Option
from drretail.cli.options import flags
from drretail.errors import UserError
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, print_rows, say


def prompts(
    agent: Annotated[list[str] | None, Option("An agent whose prompts to show.")] = None,
    judges: Annotated[bool, Option("Show the prompts and criteria of the judges.")] = False,
    to: Annotated[Path | None, Option("The folder to write the prompts to.", metavar="DIR")] = None,
    as_sent: Annotated[bool, Option("Print each prompt in full, as a model gets it.")] = False,
    as_json: flags.Json = False,
) -> None:
    """Lists the prompts and criteria of agents, judges and makers of queries, prints them, or writes them to files.

    To use changed files: --prompts DIR of `run`, `score` and `queries`. docs/paper.md says which stand for the paper's.
    """
    from drretail.prompts import packaged_text, write_prompts

    if judges and agent:
        raise UserError("--agent and --judges are of different prompts: leave one out.")
    if as_sent:
        if to is not None:
            raise UserError("--as-sent prints one page, and --to writes the files: give one of the two.")
        from drretail.api.prompts.sent import agents_prompts, as_markdown, judges_prompts

        sent = judges_prompts() if judges else agents_prompts(agent or ())
        if as_json:
            print_json({"prompts": [asdict(prompt) for prompt in sent]})
        else:
            typer.echo(as_markdown(sent))
        return
    from drretail.api.prompts.files import prompts_told

    told = prompts_told(agent or (), only_judges=judges)
    if to is not None:
        write_prompts(to, {name: each.path for name, each in told.items()})
    if as_json:
        found = [{"file": n, "told_to": each.told_to, "text": packaged_text(each.path)} for n, each in told.items()]
        print_json({"folder": None if to is None else str(to), "prompts": found})
    elif to is None:
        rows = [(n, len(packaged_text(each.path).split()), ", ".join(each.told_to)) for n, each in told.items()]
        print_rows("Prompts", ["file", "words", "told to"], rows)
    else:
        typer.echo(str(to))
        say(f"{counted(len(told), 'file')}. Change some, then: drretail run …, score EXP or queries … --prompts {to}")
