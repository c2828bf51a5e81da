"""The parts that prompts share, one file each: all writers of reports are told the same about the report's form."""

from pathlib import Path

from drretail.grounding.report.marks import what_a_mark_covers
from drretail.llm.prompts.prompt import Prompt, load_prompt

BLOCKS = ("report_form", "length", "facts", "citing", "picks", "data")
"""Form of a report, and its length, which stands in the form; what may be stated; marks; the cart; and that texts give
no orders.
"""
_HERE = str(Path(__file__))


def agent_prompt(beside: str, name: str) -> Prompt:
    """The prompt ``prompts/<name>.md`` beside the module file ``beside``, with the shared parts in their
    ``{{places}}``.
    """
    prompt = load_prompt(beside, name)
    text = prompt.text
    for block in BLOCKS:
        place = f"{{{{{block}}}}}"
        if place in text:
            text = text.replace(place, load_prompt(_HERE, block).text.rstrip())
    return Prompt(prompt.name, text.replace("{{marks}}", what_a_mark_covers()))
