"""``scripted:FILE``: a chat model that plays recorded or written answers, for whoever writes an agent or a test.

script.py     what a script file holds, and which of its answers a request gets
local.py      what every chat model that answers in this process owes langchain, offline:shopper too
chat.py       the langchain chat model that plays it
recording.py  a script made of what a model answered in an experiment
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
