"""browser-use in Chromium: it visits the shop's own pages and fills the cart there, as in its README."""

import asyncio
import contextlib
import json
import os
import sys

from browser_use import Agent, Browser, ChatOpenAI


async def main(question: str) -> str:
    # The namespace has no certificate store of the browser's, which ends at the gateway in any case.
    args = ["--ignore-certificate-errors"]
    browser = Browser(headless=True, executable_path="/usr/bin/chromium", chromium_sandbox=False, args=args)
    model = ChatOpenAI(model="gpt-4.1", base_url=os.environ["OPENAI_BASE_URL"], api_key=os.environ["OPENAI_API_KEY"])
    history = await Agent(task=question, llm=model, browser=browser, use_vision=False).run(max_steps=8)
    return history.final_result() or ""


with contextlib.redirect_stdout(sys.stderr):
    report = asyncio.run(main(f"{json.load(sys.stdin)['query']} The shop is http://ecommerce.com."))
print(report)
