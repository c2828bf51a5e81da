"""``doctor``: what works on this machine and how to fix the rest, or whether a model follows the prompts."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from drretail.api.models import Opener
from drretail.api.option import accepts
from drretail.api.options.doctor import DoctorOptions
from drretail.api.options.shared import texts_in
from drretail.api.settings import Settings, read_settings
from drretail.api.worlds import server_settings
from drretail.conditions.names import CONDITIONS
from drretail.env.web.base import BUILT_IN, load_web
from drretail.errors import UserError
from drretail.llm.event_loop import run_loop
from drretail.llm.providers import MODELS, PROVIDERS
from drretail.llm.registry import check_spec, load_opening
from drretail.plugins import Kind, Plugins
from drretail.progress import busy, choose_progress
from drretail.records.models import ModelChoice
from drretail.records.tables.figures import counted, dollars
from drretail.records.tables.result import Result
from drretail.records.tables.table import Table, table_of

if TYPE_CHECKING:
    from drretail.api.doctor.machine import Sign
    from drretail.api.doctor.prompt_kit import Checked

MARKS = {"ok": "✓", "absent": "–", "broken": "✗"}
VERDICTS = {"passed": "✓", "not_asked": "–", "failed": "✗"}
LONGEST_MESSAGE = 240
"""The most characters of each message in the short transcript."""


@accepts(DoctorOptions)
def check_machine(options: DoctorOptions) -> Result[Any]:
    """What was found on this machine, or how each model kept to the prompts.

    Raises UserError for an unknown model, and for ``prompts`` without a model.
    """
    from drretail.api.doctor.machine import broken

    if options.max_dollars is not None and not options.prompts:
        raise UserError("--max-dollars is for --prompts; without it a model is asked for one word.")
    models = texts_in(options.model)
    for spec in models:
        check_spec(spec)
    settings = read_settings()
    opener = Opener(settings, options.base_url, anew=not options.prompts)
    if options.prompts:
        return _try_prompts(models, opener, options.max_dollars)
    with busy("checking this machine"):
        signs = _signs(models, settings, opener)
    wrong = broken(signs)
    document = {"ok": not wrong, "signs": [sign.model_dump(mode="json", exclude_none=True) for sign in signs]}
    rows = [(MARKS[sign.state], sign.what, sign.found) for sign in signs]
    parts: list[Table | str] = [table_of("", ["", "what", "found"], rows)]
    lacks = [sign for sign in signs if sign.state != "ok"]
    if lacks:
        rows = [(MARKS[sign.state], sign.what, sign.prevents or "", sign.mend or "") for sign in lacks]
        parts.append(table_of("What is lacking", ["", "what", "without it, no", "to mend it"], rows))
    parts.append("Everything that is needed works." if not wrong else f"{len(wrong)} to mend (✗).")
    return Result(signs, document, parts, left=len(wrong))


def _signs(specs: list[str], settings: Settings, opener: Opener) -> "list[Sign]":
    from drretail.agents.registry import AGENTS, load_agent
    from drretail.api.doctor.machine import examine, examine_model, examine_plugins, examine_servers
    from drretail.conditions.registry import load_condition
    from drretail.eval.registry import METRICS, PAIRWISE, load_metric
    from drretail.tools.registry import TOOLS, load_tool

    kinds = {
        "drretail.agents": (load_agent, AGENTS.built_in),
        "drretail.evaluators": (load_metric, [*METRICS, PAIRWISE]),
        "drretail.web": (load_web, BUILT_IN),
        "drretail.models": (load_opening, [*PROVIDERS, *MODELS.built_in]),
        "drretail.tools": (load_tool, TOOLS),
        "drretail.conditions": (load_condition, CONDITIONS),
    }
    # The kinds of plugins that add-ons take
    taken = Plugins("kind of plugins", {}, "drretail.plugins")
    kinds |= {group: cast("Kind", taken.load(group)[1]) for group in taken.own}
    set_by_hand = {"mongo_is_set": settings.mongo_url is not None, "es_is_set": settings.es_url is not None}
    return [
        *examine(os.environ, [".", str(settings.cache_dir)]),
        *examine_plugins(kinds),
        *examine_servers(server_settings(), **set_by_hand),
        *[examine_model(spec, opener) for spec in dict.fromkeys(specs)],
    ]


def _try_prompts(specs: list[str], opener: Opener, max_dollars: float | None) -> "Result[list[Checked]]":
    """The results of each model's probes. Raises UserError without a model."""
    from drretail.api.doctor.prompt_kit import NAMES, check_prompts

    specs = specs or [each for each in (opener.settings.model,) if each is not None]
    if not specs:
        raise UserError("Which model are the prompts to be tried on? Add --model PROVIDER:MODEL.")
    checked: list[Checked] = []
    # Each by itself, so that an address without a provider is for each.
    for model in [model for spec in dict.fromkeys(specs) for model in opener.open_all([ModelChoice(model=spec)])]:
        with choose_progress().track(f"Trying the prompts on {model.spec}", len(NAMES)) as bar:
            checked.append(run_loop(check_prompts(model, max_dollars, bar)))
    documents = [each.model_dump(mode="json", exclude_none=True) for each in checked]
    is_well = all(each.is_well for each in checked)
    parts = [part for each in checked for part in _checked_parts(each)]
    return Result(checked, {"ok": is_well, "models": documents}, parts, left=int(not is_well))


def _checked_parts(checked: "Checked") -> Iterator[Table | str]:
    rows = [(VERDICTS[finding.state], finding.probe, finding.shows, finding.found or "") for finding in checked.probes]
    yield table_of(f"The prompts on {checked.model}", ["", "probe", "what it shows", "found"], rows)
    messages: list[str] = []
    for name, exchange in ((name, each) for name, exchanges in checked.conversations.items() for each in exchanges):
        request = exchange.messages[-1]
        answer: Any = exchange.answer if exchange.error is None else exchange.error
        if isinstance(answer, dict):
            calls = [
                f"{each['name']}({', '.join(map(str, each['args'].values()))})" for each in answer.get("tool_calls", ())
            ]
            answer = " ".join([_text(answer.get("content")), *calls])
        messages += [
            f"{name} ← {request['role']}: {_short(_text(request['content']))}",
            f"{name} → {_short(_text(answer))}",
        ]
    yield table_of("Messages (--json has them in full)", [""], [], notes=messages)
    used = checked.usage
    cost = "price unknown" if checked.dollars is None else f"${dollars(checked.dollars)}"
    passed = sum(finding.state == "passed" for finding in checked.probes)
    yield (
        f"{passed} of {len(checked.probes)} passed; {counted(used.calls, 'call')}, "
        f"{used.total - used.output:,} tokens in, {used.output:,} out, {cost}."
    )
    yield checked.fitness


def _text(content: Any) -> str:
    blocks = content if isinstance(content, list) else [content]
    texts = [block.get("text", "") if isinstance(block, dict) else str(block or "") for block in blocks]
    return " ".join(filter(None, texts))


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_MESSAGE else f"{words[:LONGEST_MESSAGE]}…"
