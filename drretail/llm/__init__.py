"""Chat models by "provider:model", and the one seam at which they are called.

providers.py  the providers: package, keys, and how each spells timeout, retries and length
registry.py   "provider:model" to a ready chat model, offline ones through the same door
structured.py  answers in a JSON schema, by structured output where a model has it
faults.py     the seam: every failure of a provider becomes a ModelError of a known kind; tokens of an answer
models.py     the models of one run: journalled, counted, written into the trajectory
offline/      deterministic rule-based chat models, for runs without a key
"""
