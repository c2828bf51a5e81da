"""Chat models by "provider:model", and the one seam at which they are called.

providers.py  the providers: package, keys, and how each spells timeout, retries and length
profiles.py   models for every role and judges under one name (profiles.toml)
registry.py   "provider:model" to a ready chat model, offline ones through the same door
structured.py  answers in a JSON schema, by structured output where a model has it
calling.py    the seam at which models are called: paced, tried again, timed out, counted
retrying.py   how often and when a call is tried again; passing.py which faults pass, and the wait a provider asks for
pacing.py     rate limits: one pace for all calls to a provider
faults.py     one attempt: every failure of a provider becomes a ModelError of a known kind; tokens of an answer
models.py     the models of one run: journalled, counted, written into the trajectory
caching.py    what providers that want it marked are told to cache
budget.py     when a run must conclude, by tokens and dollars
experiment_budget.py      whether an experiment's caps let one more run start
prices.py     dollars by a dated table (prices.toml); costs.py by role, estimates.py before, latency.py for telemetry
offline/      deterministic rule-based chat models, for runs without a key
"""
