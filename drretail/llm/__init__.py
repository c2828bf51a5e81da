"""Chat models by "provider:model", and the one place from which they are called.

providers.py   the providers: package, key variables, and how each spells timeout, retries and length
profiles.py    models for every role and judge under one name (profiles.toml)
registry.py    opens the chat model that "provider:model" names, offline ones too
embeddings.py  embeddings by "provider:model"
models.py      the models of one run: journalled, counted, written into the trajectory
calling.py     calls a model: cache marks, pace, retries, time-outs, counts
denials.py     failures that no further call can mend: a refused key, a missing model, a server that is down
faults.py      one attempt: every failure of a provider becomes a ModelError of a known kind
usage.py       the tokens of a call, counted by the provider or estimated from the text; and latency
retries_and_rates.py  rate limits of a provider, and how often a call is retried
structured.py  answers in a JSON schema: asked for, validated, repaired
servers/       what servers of the user's own can and can't do: forms of a schema, arguments, calls in text
event_loop.py  the one event loop in which a process calls models, and how Ctrl-C cancels what runs in it
prompts/       prompts in files beside their callers, and data put into them in tags
budget.py      when a run must conclude, and whether an experiment may start another run
prices.py      the cost of usage in dollars, by role, from a dated table (prices.toml)
stand_in.py    a model that answers at typical length, for dry runs
estimates.py   what work is likely to take, estimated beforehand
offline/       rule-based stand-ins for models, loaded by name only
scripted/      models that play recorded or written answers, for authors of agents and tests
batches.py     questions answered through Message Batches
"""
