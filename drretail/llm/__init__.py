"""Chat models by "provider:model", and the one place from which they are called.

providers.py   the providers: package, key variables, spelling and retries; profiles (profiles.toml)
openai_chat.py the client of OpenAI's protocol, with what LangChain's drops of loose answers
registry.py    opens the chat model that "provider:model" names, offline ones too
models.py      the models of one run: journalled, counted, written into the trajectory
calling.py     calls a model: cache marks, pace, retries, time-outs, counts
faults.py      every failure of a provider as a ModelError of a known kind, and those that no further call can mend
usage.py       what calls take: tokens, time and dollars; budgets of a run and of an experiment
spending.py    what an experiment's runs took, and the caps that end them
prices.py      what a call costs, by genai-prices
structured.py  answers in a JSON schema: the forms in which they are asked for, validated, repaired
prompt.py      prompts in files beside their callers, and data put into them in tags
servers.py     what servers of open models need: requests without refused arguments
prompts/       what a model is asked when its answer is cut, empty or no JSON
local_chat.py  the base of chat models that answer in this process
estimates.py   what work is likely to take, by what it took before or typically takes (typical.toml)
offline/       rule-based stand-ins for models, loaded by name only
scripted.py    models that play recorded or written answers, for authors of agents and tests
"""
