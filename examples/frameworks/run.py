"""Runs frameworks unmodified in the demo shop: ``run.py [NAME …] [--model M] --to EXP``.

Each has an environment of its own, which uv makes with these versions. Without ``--model`` a script answers in the
place of a language model.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FRAMEWORKS: dict[str, tuple[str, ...]] = {
    "smolagents_code": ("smolagents[openai,toolkit]==1.26.0", "ddgs==9.10.0"),
    "openai_agents": ("openai-agents==0.24.0",),
    "pydantic_ai_agent": ("pydantic-ai-slim[openai,mcp]==2.31.0",),
    "deepagents_tavily": ("deepagents==0.7.32", "langchain-openai", "langchain-tavily"),
    "gpt_researcher_report": ("gpt-researcher==0.15.1", "litellm"),
    "strands_agent": ("strands-agents[openai]==1.62.0", "mcp"),
    "google_adk_agent": ("google-adk==2.13.0", "litellm", "mcp"),
    "open_deep_research_graph": ("open-deep-research==0.0.16",),
    "browser_use_shop": ("browser-use==0.13.14",),
    "node_fetch": (),
}
"""The files here, and what each needs."""
PROGRAMS = {"browser_use_shop": "chromium", "node_fetch": "node"}
"""Those that need a program of the system's, and are left out without it unless they are named."""


def command_of(name: str, folder: Path) -> str:
    """How a framework is run; its environment is made if it is missing."""
    if name == "node_fetch":
        return f"node {HERE / name}.mjs"
    python = folder / name / "bin" / "python"
    if not python.exists():
        subprocess.run(["uv", "venv", "-q", folder / name], check=True)
        subprocess.run(["uv", "pip", "install", "-q", "--python", python, *FRAMEWORKS[name]], check=True)
    return f"{python} {HERE / name}.py"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    here = [name for name in FRAMEWORKS if shutil.which(PROGRAMS.get(name, "uv"))]
    parser.add_argument("names", nargs="*", default=here)
    parser.add_argument("--model", default="scripted_shopper:shopper:by-script")
    parser.add_argument("--environments", type=Path, default=Path.home() / ".cache/drretail/frameworks")
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--only", default="1")
    given, more = parser.parse_known_args()
    agents: list[str] = []
    for name in given.names:
        agents += ["--agent", f"{name}=cmd:{command_of(name, given.environments)}"]
    drretail = [sys.executable, "-m", "drretail"]
    questions = given.to.with_name(f"{given.to.name}.jsonl")
    if not questions.exists():
        subprocess.run([*drretail, "queries", "shipped", "--to", questions], check=True)
    command = [*drretail, "run", "--queries", questions, "--only", given.only]
    paths = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    command += [*agents, "--model", given.model, "--to", given.to, *more]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}).returncode


if __name__ == "__main__":
    sys.exit(main())
