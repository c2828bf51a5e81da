"""``prompts``: what agents, judges and makers of queries are told, as files to change and use instead."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from drretail.api.option import accepts
from drretail.api.options.doctor import PromptsOptions
from drretail.api.options.shared import names_in
from drretail.errors import UserError
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Result
from drretail.records.tables.table import table_of

JUDGES = "judges"


@accepts(PromptsOptions)
def show_prompts(options: PromptsOptions) -> Result[Any]:
    """The prompts by the names of their files; with ``details`` as they are sent, with ``to`` written to files.

    Raises UserError for agents and judges at once, and UnknownName for an unknown agent.
    """
    from drretail.api.prompts.files import prompts_told
    from drretail.llm.prompts.prompt import packaged_text, write_prompts

    agents = names_in(options.whose)
    judges = JUDGES in agents
    if judges and len(agents) > 1:
        raise UserError("Agents and judges are told different prompts: name one of the two.")
    if options.details:
        from drretail.api.prompts.sent import agents_prompts, as_markdown, judges_prompts

        if options.to is not None:
            raise UserError("--details prints one page, and --to writes the files: give one of the two.")
        sent = judges_prompts() if judges else agents_prompts(agents)
        return Result(sent, {"prompts": [asdict(prompt) for prompt in sent]}, [as_markdown(sent)])
    prompts, to = prompts_told([] if judges else agents, only_judges=judges), options.to
    listed = [
        {"file": name, "told_to": each.told_to, "text": packaged_text(each.path)} for name, each in prompts.items()
    ]
    document = {"folder": None if to is None else str(to), "prompts": listed}
    if to is None:
        rows = [(n, len(packaged_text(each.path).split()), ", ".join(each.told_to)) for n, each in prompts.items()]
        return Result(prompts, document, [table_of("Prompts", ["file", "words", "told to"], rows)])
    write_prompts(Path(to), {name: each.path for name, each in prompts.items()})
    note = f"{counted(len(prompts), 'file')}. Change some, then: drretail run …, score EXP or queries … --prompts {to}"
    return Result(prompts, document, [str(to)], notes=[note], path=Path(to))
