"""``drretail doctor``: what works on this machine, what does not, what that prevents, and what mends it."""

from typing import TYPE_CHECKING, Annotated

import typer

from drretail.cli.options import flags as options

if TYPE_CHECKING:
    from drretail.doctor import Sign
    from drretail.llm.registry import Model

MARKS = {"ok": "✓", "absent": "–", "broken": "✗"}


def doctor(
    model: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="PROVIDER:MODEL", help="Ask this model for one word; costs a few tokens."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Looks at Python, packages, keys, servers, Java and disks; models are only asked when named.

    The exit code is 3 when something that is needed, or was asked for, does not work.
    """
    from drretail.doctor import broken
    from drretail.viewer.output import print_json

    signs = _signs(model or [])
    wrong = broken(signs)
    if as_json:
        print_json({"ok": not wrong, "signs": [sign.model_dump(mode="json", exclude_none=True) for sign in signs]})
    else:
        _print(signs)
    if wrong:
        raise typer.Exit(3)


def _signs(specs: list[str]) -> "list[Sign]":
    import os

    from drretail.api.worlds import server_settings
    from drretail.doctor import examine, examine_models, examine_servers
    from drretail.event_loop import run_loop
    from drretail.settings import read_settings

    settings = read_settings()
    set_by_hand = {"mongo_is_set": settings.mongo_url is not None, "es_is_set": settings.es_url is not None}
    return [
        *examine(os.environ, [".", str(settings.cache_dir)]),
        *examine_servers(server_settings(), **set_by_hand),
        *run_loop(examine_models(specs, _opened)),
    ]


def _opened(spec: str) -> "Model":
    from drretail.api.models import Opener
    from drretail.records.models import ModelChoice
    from drretail.settings import read_settings

    (model,) = Opener(read_settings()).open_all([ModelChoice(model=spec)])
    return model


def _print(signs: "list[Sign]") -> None:
    from drretail.viewer.output import print_table

    print_table("", ["", "what", "found"], [(MARKS[sign.state], sign.what, sign.found) for sign in signs])
    lacks = [sign for sign in signs if sign.state != "ok"]
    rows = [(MARKS[sign.state], sign.what, sign.prevents or "", sign.mend or "") for sign in lacks]
    if rows:
        print_table("What is lacking", ["", "what", "without it, no", "to mend it"], rows)
    wrong = sum(sign.state == "broken" for sign in signs)
    typer.echo("Everything that is needed works." if not wrong else f"{wrong} to mend (✗).")
