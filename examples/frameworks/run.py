"""Runs frameworks unmodified in the demo shop: ``run.py [NAME …] [--model M] --to EXP``.

Each has an environment of its own, which uv makes with these versions. Without ``--model`` a script answers in the
place of a language model.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
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
}
"""The files here, and what each needs."""
BY_HAND = frozenset({"browser_use_shop"})
"""Those that need a program of the system's: Chromium."""


def python_of(name: str, folder: Path) -> Path:
    """The interpreter of a framework's environment, which is made if it is missing."""
    python = folder / name / "bin" / "python"
    if not python.exists():
        subprocess.run(["uv", "venv", "-q", folder / name], check=True)
        subprocess.run(["uv", "pip", "install", "-q", "--python", python, *FRAMEWORKS[name]], check=True)
    return python


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=sorted(FRAMEWORKS.keys() - BY_HAND))
    parser.add_argument("--model", default="scripted_shopper:shopper:by-script")
    parser.add_argument("--environments", type=Path, default=Path.home() / ".cache/drretail/frameworks")
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--only", default="1")
    given, more = parser.parse_known_args()
    agents: list[str] = []
    for name in given.names:
        agents += ["--agent", f"{name}=cmd:{python_of(name, given.environments)} {HERE / name}.py"]
    command = [sys.executable, "-m", "drretail", "run", "--queries", HERE / "questions.jsonl", "--only", given.only]
    paths = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    command += [*agents, "--model", given.model, "--to", given.to, *more]
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}).returncode


if __name__ == "__main__":
    sys.exit(main())
