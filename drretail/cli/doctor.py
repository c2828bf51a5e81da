"""``drretail doctor``: what works on this machine and how to fix the rest; --prompts: whether a model follows the
prompts.
"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from drretail.api.option import Option
from drretail.api.options import research
from drretail.api.worlds import server_settings
from drretail.cli.options import flags as options
from drretail.cli.options.command import exit_code
from drretail.errors import UserError
from drretail.event_loop import run_loop
from drretail.progress import busy, choose_progress
from drretail.tables.figures import counted, dollars
from drretail.viewer.output import print_json, print_rows, print_text, print_title

if TYPE_CHECKING:
    from drretail.api.models import Opener
    from drretail.doctor.machine import Sign
    from drretail.doctor.prompt_kit import Checked, Exchange
    from drretail.llm.registry import Model
    from drretail.settings import Settings

MARKS = {"ok": "✓", "absent": "–", "broken": "✗"}
VERDICTS = {"passed": "✓", "not_asked": "–", "failed": "✗"}
LONGEST_MESSAGE = 240
"""The most characters of each message in the short transcript."""


def doctor(
    model: Annotated[
        list[str] | None, Option("A model to test. It is asked for one word.", metavar="PROVIDER:MODEL")
    ] = None,
    base_url: research.BaseUrl = (),
    prompts: Annotated[
        bool, Option("Check only whether the models follow the prompts (a few cents per model).")
    ] = False,
    max_dollars: Annotated[float | None, Option("With --prompts: maximum dollars per model.", min=0.0001)] = None,
    as_json: options.Json = False,
) -> None:
    """Checks this machine, and the models that you name.

    Exit code 3: something needed does not work.
    """
    from drretail.api.models import Opener
    from drretail.doctor.machine import broken
    from drretail.llm.registry import check_spec
    from drretail.settings import read_settings

    if max_dollars is not None and not prompts:
        raise UserError("--max-dollars is for --prompts; without it a model is asked for one word.")
    for spec in model or []:
        check_spec(spec)
    settings = read_settings()
    opener = Opener(settings, base_url)
    if prompts:
        _try_prompts(model or [], opener, max_dollars, as_json=as_json)
        return
    with busy("checking this machine"):
        signs = _signs(model or [], settings, opener)
    wrong = broken(signs)
    if as_json:
        print_json({"ok": not wrong, "signs": [sign.model_dump(mode="json", exclude_none=True) for sign in signs]})
    else:
        print_rows("", ["", "what", "found"], [(MARKS[sign.state], sign.what, sign.found) for sign in signs])
        lacks = [sign for sign in signs if sign.state != "ok"]
        rows = [(MARKS[sign.state], sign.what, sign.prevents or "", sign.mend or "") for sign in lacks]
        if rows:
            print_rows("What is lacking", ["", "what", "without it, no", "to mend it"], rows)
        typer.echo("Everything that is needed works." if not wrong else f"{len(wrong)} to mend (✗).")
    exit_code(len(wrong))


def _signs(specs: list[str], settings: "Settings", opener: "Opener") -> "list[Sign]":
    import os

    from drretail.agents.registry import AGENTS, load_agent
    from drretail.conditions.names import CONDITIONS
    from drretail.conditions.registry import load_condition
    from drretail.doctor.machine import examine, examine_models, examine_plugins, examine_servers
    from drretail.env.web.registry import BUILT_IN, load_web
    from drretail.eval.registry import METRICS, PAIRWISE, load_metric
    from drretail.exports.formats import FORMS, load_form
    from drretail.llm.providers import MODELS, PROVIDERS
    from drretail.llm.registry import load_opening
    from drretail.tools.registry import TOOLS, load_tool

    kinds = {
        "drretail.agents": (load_agent, AGENTS.built_in),
        "drretail.evaluators": (load_metric, [*METRICS, PAIRWISE]),
        "drretail.web": (load_web, BUILT_IN),
        "drretail.models": (load_opening, [*PROVIDERS, *MODELS.built_in]),
        "drretail.tools": (load_tool, TOOLS),
        "drretail.conditions": (load_condition, CONDITIONS),
        "drretail.exports": (load_form, FORMS),
    }
    set_by_hand = {"mongo_is_set": settings.mongo_url is not None, "es_is_set": settings.es_url is not None}
    return [
        *examine(os.environ, [".", str(settings.cache_dir)]),
        *examine_plugins(kinds),
        *examine_servers(server_settings(), **set_by_hand),
        *run_loop(examine_models(specs, lambda spec: _opened(spec, opener))),
    ]


def _opened(spec: str, opener: "Opener") -> "Model":
    from drretail.records.models import ModelChoice

    (model,) = opener.open_all([ModelChoice(model=spec)])
    return model


def _try_prompts(specs: list[str], opener: "Opener", max_dollars: float | None, *, as_json: bool) -> None:
    """Prints the results of each model's probes. Raises UserError without a model."""
    from drretail.doctor.conversations import NAMES
    from drretail.doctor.prompt_kit import check_prompts

    specs = specs or [each for each in (opener.settings.model,) if each is not None]
    if not specs:
        raise UserError("Which model are the prompts to be tried on? Add --model PROVIDER:MODEL.")
    models = [_opened(spec, opener) for spec in dict.fromkeys(specs)]
    models_checked: list[Checked] = []
    for model in models:
        with choose_progress().track(f"Trying the prompts on {model.spec}", len(NAMES)) as bar:
            models_checked.append(run_loop(check_prompts(model, max_dollars, bar)))
    if as_json:
        documents = [each.model_dump(mode="json", exclude_none=True) for each in models_checked]
        print_json({"ok": all(each.is_well for each in models_checked), "models": documents})
    else:
        for found in models_checked:
            rows = [
                (VERDICTS[finding.state], finding.probe, finding.shows, finding.found or "") for finding in found.probes
            ]
            print_rows(f"The prompts on {found.model}", ["", "probe", "what it shows", "found"], rows)
            print_title("Messages (--json has them in full)")
            for name, exchanges in found.conversations.items():
                print_text(*(line for exchange in exchanges for line in _exchange_lines(name, exchange)))
            used = found.usage
            cost = "price unknown" if found.dollars is None else f"${dollars(found.dollars)}"
            passed = sum(finding.state == "passed" for finding in found.probes)
            typer.echo(
                f"{passed} of {len(found.probes)} passed; {counted(used.calls, 'call')}, "
                f"{used.total - used.output:,} tokens in, {used.output:,} out, {cost}."
            )
    exit_code(not all(each.is_well for each in models_checked))


def _exchange_lines(name: str, exchange: "Exchange") -> list[str]:
    """The last message of the request and the answer, one line each."""
    asked = exchange.messages[-1]
    answer: Any = exchange.answer if exchange.error is None else exchange.error
    if isinstance(answer, dict):
        calls = [
            f"{each['name']}({', '.join(map(str, each['args'].values()))})" for each in answer.get("tool_calls", ())
        ]
        answer = " ".join([_text(answer.get("content")), *calls])
    return [f"{name} ← {asked['role']}: {_short(_text(asked['content']))}", f"{name} → {_short(_text(answer))}"]


def _text(content: Any) -> str:
    blocks = content if isinstance(content, list) else [content]
    texts = [block.get("text", "") if isinstance(block, dict) else str(block or "") for block in blocks]
    return " ".join(filter(None, texts))


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_MESSAGE else f"{words[:LONGEST_MESSAGE]}…"
