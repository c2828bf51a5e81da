"""``drretail prompts``: what agents and judges are told, as files to change and use instead."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags
from drretail.errors import UserError
from drretail.tables.figures import counted
from drretail.tables.table import table_of
from drretail.viewer.output import print_json, print_table, say


def prompts(
    agent: Annotated[
        list[str] | None, typer.Option("--agent", help="An agent whose prompts to show (may be repeated).")
    ] = None,
    judges: Annotated[bool, typer.Option("--judges", help="Show the prompts of the judges.")] = False,
    to: Annotated[Path | None, typer.Option("--to", metavar="DIR", help="The folder to write the prompts to.")] = None,
    as_sent: Annotated[bool, typer.Option("--as-sent", help="Print each prompt in full, as a model gets it.")] = False,
    as_json: flags.Json = False,
) -> None:
    """Lists the prompts of agents or judges, prints them, or writes them to files.

    To use changed files: `drretail run --prompts DIR` or `drretail score --prompts DIR`.
    """
    from drretail.prompts import packaged_text, write_prompts

    if judges and agent:
        raise UserError("--agent and --judges are of different prompts: leave one out.")
    if as_sent:
        if to is not None:
            raise UserError("--as-sent prints one page, and --to writes the files: give one of the two.")
        from drretail.api.sent_prompts import agents_prompts, as_markdown, judges_prompts

        sent = judges_prompts() if judges else agents_prompts(agent or ())
        if as_json:
            print_json({"prompts": [asdict(prompt) for prompt in sent]})
        else:
            typer.echo(as_markdown(sent))
        return
    users: dict[str, list[str]]
    if judges:
        from drretail.eval.judge_prompts import judge_prompt_files

        files = judge_prompt_files()
        users = {name: [f"judges of {name.partition('/')[0]}"] for name in files}
    else:
        from drretail.agents.prompt_files import prompt_files, with_pages

        used = {name: prompt_files([each]) for name, each in (with_pages(agent) if agent else with_pages()).items()}
        files = dict(sorted((file, path) for own in used.values() for file, path in own.items()))
        users = {file: [] for file in files}
        for name, own in used.items():
            plain = name.removesuffix("+ws")
            for file in own:
                if plain == name or file not in used[plain]:  # NAME+ws is not listed beside NAME for the same file
                    users[file].append(name)
    if to is not None:
        write_prompts(to, files)
    if as_json:
        prompts = [{"file": name, "told_to": users[name], "text": packaged_text(path)} for name, path in files.items()]
        print_json({"folder": None if to is None else str(to), "prompts": prompts})
    elif to is None:
        rows = [(name, len(packaged_text(path).split()), ", ".join(users[name])) for name, path in files.items()]
        print_table(table_of("Prompts", ["file", "words", "told to"], rows))
    else:
        typer.echo(str(to))
        command = "score EXP" if judges else "run …"
        say(f"{counted(len(files), 'prompt')}. Change some, then: drretail {command} --prompts {to}")
