"""The formats by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from drretail.addons.imports import benchmarks, chat
from drretail.addons.imports.material import Material
from drretail.errors import UserError, check_known


@dataclass(frozen=True, slots=True)
class Format:
    """One format: what it looks like, in one line, and its reader of a file or folder.

    ``read`` raises UserError for anything else.
    """

    described: str
    read: Callable[[Path], Material]


FORMATS: Mapping[str, Format] = {
    "drb": Format("deep_research_bench: JSONL {id, prompt, article}", benchmarks.read_drb),
    "reporteval": Format("ReportEval: JSONL {topic, report}", benchmarks.read_reporteval),
    "dr3": Format("DR³-Eval: query.jsonl, task folders, <size>/<model>/<task>/final_report.md", benchmarks.read_dr3),
    "pdr": Format(
        "PDR-Bench: JSONL of queries, tasks, personas and reports {id, taskid, userid, article}", benchmarks.read_pdr
    ),
    "chat": Format(
        "an assistant's log: chat messages, questions and answers, requests and responses, OpenTelemetry's spans, or"
        " exports of LangGraph, LangSmith, Langfuse and OpenAI",
        chat.read_chat,
    ),
    "markdown": Format(
        "any product: a folder of .md files, the question in NAME.q or in the first heading", benchmarks.read_markdown
    ),
}


def load_format(name: str) -> Format:
    """The format of that name. Raises UnknownName."""
    if name.casefold() in ("md", "word", "docx", "pdf"):  # the nearest name to "pdf" would be "pdr"
        raise UserError(f"There is no import format {name!r}: `markdown` reads .md, .docx and .pdf files.")
    check_known("import format", FORMATS, name)
    return FORMATS[name]
