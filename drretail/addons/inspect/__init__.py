"""The shop as a task of inspect_ai: ``inspect eval drretail/shop_research`` (drretail/addons/inspect/README.md).

registry.py    what inspect finds: the task, its solver and its scorers
task.py        ``shop_research``: queries as samples, each with a session of its own, and inspect's own loop over them
shop_tools.py  the nine tools, and the one that hands a report in, as inspect calls them
rollout.py     a sample's session, and its run
recorded.py    a run with all that judges need of it, kept in a sample's store
form.py        the form ``inspect`` of ``export``
logs.py        an experiment as logs of inspect_ai, one per system, with judges' verdicts as its scores
samples.py     runs as samples of these logs: messages, events, usage, errors
scorers.py     our metrics as inspect's scorers, and the worlds of a process, each opened once
"""
