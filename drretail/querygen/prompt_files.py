"""The prompts of query makers as files that a user may override: ``by_model/wish.md``, ``people/persona.md``."""

from collections.abc import Collection
from pathlib import Path

from drretail.prompts import changed_prompts, file_name_of, files_loaded
from drretail.querygen.by_model.decide import decide_prompt
from drretail.querygen.by_model.opinion import opinion_prompt
from drretail.querygen.by_model.prompt import OPTIONAL
from drretail.querygen.by_model.prompt import prompts as query_prompts
from drretail.querygen.people.person_model import prompts as person_prompts


def query_prompt_files() -> dict[str, Path]:
    """The packaged prompt files of writers and readers of queries, by the name under which each can be overridden."""
    loads = (query_prompts, decide_prompt, opinion_prompt, person_prompts)
    return dict(sorted((file_name_of(path), path) for load in loads for path in files_loaded(load)))


def read_query_prompts(folder: Path, others: Collection[str] = ()) -> dict[Path, str]:
    """The prompts in ``folder`` that differ from the packaged ones. Raises as ``changed_prompts`` does.

    ``others`` are files for other commands.
    """
    return changed_prompts(folder, query_prompt_files(), others=others, optional=OPTIONAL)
