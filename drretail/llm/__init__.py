"""Chat models by "provider:model", and the one seam at which they are called.

providers.py   the providers: package, keys, and how each spells timeout, retries and length
profiles.py    models for every role and judges under one name (profiles.toml)
registry.py    "provider:model" to a ready chat model, offline ones through the same door
embeddings.py  embeddings by "provider:model"
models.py      the models of one run: journalled, counted, written into the trajectory
calling.py     the seam at which models are called: cache marks, pace, retries, time-outs, counts
denials.py     what no other call would mend: a refused key, a missing model, a server that is down
faults.py      one attempt: every failure of a provider becomes a ModelError of a known kind
usage.py       the tokens of a call: as the provider counts them, else estimated from the text
retries_and_rates.py  rate limits of a provider, and how often a call is tried again
structured.py  answers in a JSON schema: asked for, validated, repaired
prompts/       what a model is told when its answer is empty, was cut, or has another form
budget.py      when a run must conclude, and whether an experiment may start one more
prices.py      dollars by a dated table (prices.toml), of usage by role
stand_in.py    a model that answers at typical length, for dry runs
estimates.py   what work is likely to take, before
telemetry.py   how long calls took, after
scripted/      models that play recorded or written answers, for whoever writes an agent or a test
batches/       questions answered through Message Batches
"""
