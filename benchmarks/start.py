"""Seconds of the processor that ``ask``, ``run`` and ``score`` take before their work: until the first question reaches
the model, or the judge.

    python benchmarks/start.py                        # the best of five, in alternation
    python benchmarks/start.py --rounds 20 --provider openai:gpt-5-mini --provider anthropic:claude-sonnet-5

Each command runs as its user starts it, on the demo's shop, and its process is ended by its own model when it is first
asked. Beside them stand the libraries alone that no LangGraph agent can do without, and what the SDK of a provider adds
to these. A network is not needed. The least of the rounds counts, since other processes only ever add to it.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import copytree, rmtree

from command import drretail
from figures import hold, keep, parser_of

from drretail.api.settings import read_settings
from drretail.data_ingest.demo import ensure_world
from drretail.files import write_lines
from drretail.progress import Progress
from drretail.querygen.reading import shipped_queries

LIMIT = 1.2
"""Seconds."""
ASKED = 7
"""The exit code of a process whose model was asked."""
FIRST_QUESTION = """
import os
from drretail.llm.offline import POLICY

def end(*asked):
    os._exit(ASKED)
"""
COMMAND = """
import sys
from drretail.cli.entry import main
from drretail.llm.registry import OFFLINE_POLICIES
OFFLINE_POLICIES.update(shopper="first_shopper:end", judge="first_judge:end")
main()
"""
GRAPH = "import langgraph.graph, langchain_core.language_models.chat_models"
OPENED = """
import sys
from drretail.llm.registry import build_model
build_model(sys.argv[1], environ=dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"), "none"))
"""


def seconds(code: str, *arguments: str, folder: Path) -> float:
    """Of the processor, by a new Python that runs the code. Raises CalledProcessError where it failed."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path[1:]])}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode
    command = [sys.executable, "-c", code, *arguments]
    silent = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=folder, env=environ, stdout=silent, stderr=silent)  # noqa: S603 -- ourselves
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != (ASKED if code == COMMAND else 0):
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--provider", action="append", default=[], metavar="PROVIDER:MODEL", help="may be repeated")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world = str(ensure_world("demo", read_settings().cache_dir, Progress()))
        write_lines(folder / "queries.jsonl", (query.as_line() for query in shipped_queries("dev")[:1]))
        for policy in ("shopper", "judge"):
            code = FIRST_QUESTION.replace("POLICY", policy).replace("ASKED", str(ASKED))
            (folder / f"first_{policy}.py").write_text(code, "utf-8")
        run = ["run", "--queries", f"{folder}/queries.jsonl", "--world", world, "--to"]
        drretail(*run, f"{folder}/judged")
        commands = {
            "ask": ["ask", "Which bird feeder is easy to clean?", "--world", world],
            "run": [*run, "new"],
            "score": ["score", "unjudged"],
        }
        best: dict[str, float] = {}
        for _ in range(options.rounds + 1):  # the first one writes bytecode
            rmtree(folder / "new", ignore_errors=True)
            rmtree(folder / "unjudged", ignore_errors=True)
            copytree(folder / "judged", folder / "unjudged")
            taken = {command: seconds(COMMAND, *given, folder=folder) for command, given in commands.items()}
            taken["LangGraph and a chat model of LangChain"] = seconds(GRAPH, folder=folder)
            for spec in options.provider:
                taken[f"these and {spec}"] = seconds(GRAPH + OPENED, spec, folder=folder)
            best = {what: min(took, best.get(what, took)) for what, took in taken.items()}
    hold(all(took > 0 for took in best.values()), "every command put its first question")
    bare = best["LangGraph and a chat model of LangChain"]
    for what, took in best.items():
        over = f"  above {LIMIT} s" if what in commands and took > LIMIT else ""
        print(f"{what:<50} {took:5.2f} s  {took / bare:4.2f} ×{over}")
    keep(options.json, {"seconds": best, "limit": LIMIT})


if __name__ == "__main__":
    main()
