"""gpt-researcher as its README has it. It drops short sources and downloads a tokenizer unless it is told not to."""

import asyncio
import contextlib
import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path

shipped = Path(str(find_spec("litellm").origin)).parent / "litellm_core_utils/tokenizers"
os.environ |= {"COMPRESSION_THRESHOLD": "0", "TIKTOKEN_CACHE_DIR": str(shipped)}
from gpt_researcher import GPTResearcher  # noqa: E402


async def main(question: str) -> str:
    researcher = GPTResearcher(query=question, report_type="research_report")
    await researcher.conduct_research()
    return await researcher.write_report()


asked = json.load(sys.stdin)
with contextlib.redirect_stdout(sys.stderr):
    report = asyncio.run(main(f"{asked['query']} (Today is {asked['today']}.)"))
print(report)
