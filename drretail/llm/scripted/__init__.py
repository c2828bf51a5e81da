"""``scripted:FILE``: a chat model that plays recorded or written answers, for authors of agents and tests.

script.py     what a script file holds, and which of its answers a request gets
local.py      the base of all chat models that answer in this process, offline:shopper too
chat.py       the langchain chat model that plays a script
recording.py  makes a script of the answers that a model gave in an experiment
"""

from drretail.llm.scripted.chat import ScriptedChat, open_scripted, requests_of, scripted_model
from drretail.llm.scripted.recording import record
from drretail.llm.scripted.script import Request, Script, ScriptedAnswer, ScriptedCall, read_script

__all__ = [
    "Request",
    "Script",
    "ScriptedAnswer",
    "ScriptedCall",
    "ScriptedChat",
    "open_scripted",
    "read_script",
    "record",
    "requests_of",
    "scripted_model",
]
