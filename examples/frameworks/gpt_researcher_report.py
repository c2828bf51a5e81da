"""gpt-researcher as its README has it. It drops sources of pages below a length unless it is told not to."""

import asyncio
import contextlib
import json
import os
import sys

os.environ.setdefault("COMPRESSION_THRESHOLD", "0")
from gpt_researcher import GPTResearcher


async def main(question: str) -> str:
    researcher = GPTResearcher(query=question, report_type="research_report")
    await researcher.conduct_research()
    return await researcher.write_report()


asked = json.load(sys.stdin)
with contextlib.redirect_stdout(sys.stderr):
    report = asyncio.run(main(f"{asked['query']} (Today is {asked['today']}.)"))
print(report)
