"""``prompts``: what agents, judges and makers of queries are told, as files to change and use instead."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

from drretail.agents.registry import prompt_files, with_pages
from drretail.api.option import accepts
from drretail.api.options.shared import split_names
from drretail.api.options.shops import PromptsOptions
from drretail.eval.method import judge_prompt_files
from drretail.llm.prompt import changed_prompts, files_by_name, write_prompt_files
from drretail.plugins import Plugins
from drretail.querygen.by_model.prompt import OPTIONAL
from drretail.querygen.by_model.prompt import prompts as query_prompts
from drretail.querygen.by_model.reader import decide_prompt
from drretail.records.figures import counted
from drretail.viewer.drawing.result import Result

ADDED = Plugins("maker of queries", {}, "drretail.query_prompts")


def query_prompt_files() -> dict[str, Path]:
    """The packaged prompt files of writers and readers of queries, by the name under which each can be overridden."""
    of_addons = (cast(Callable[[], object], ADDED.load(name)[1]) for name in ADDED.own)
    return files_by_name((query_prompts, decide_prompt, *of_addons))


def all_prompt_files() -> dict[str, Path]:
    """The files of the built-in agents, of all judges and of all makers of queries, by name."""
    return prompt_files(with_pages().values()) | judge_prompt_files() | query_prompt_files()


def read_query_prompts(folder: Path) -> dict[Path, str]:
    """The prompts of query makers in ``folder`` that differ from the packaged ones; raises as ``changed_prompts``."""
    return changed_prompts(folder, query_prompt_files(), others=all_prompt_files(), optional=OPTIONAL)


JUDGES = "judges"


@accepts(PromptsOptions)
def write_prompts(options: PromptsOptions) -> Result[dict[str, Path]]:
    """Writes the prompt files of these agents, of the judges, or of all. Returns the packaged files by name.

    Raises UnknownName for an unknown agent, and UserError if the folder has a changed file of one of these names.
    """
    names, to = split_names(options.whose), Path(options.to)
    files: dict[str, Path] = {} if names else all_prompt_files()
    for name in names:
        files |= judge_prompt_files() if name == JUDGES else prompt_files(with_pages([name]).values())
    write_prompt_files(to, files)
    note = f"{counted(len(files), 'file')}. Change some, then: drretail run …, score EXP or queries … --prompts {to}"
    return Result(files, {"folder": str(to), "files": [*files]}, [str(to)], notes=[note], path=to)
