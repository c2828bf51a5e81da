"""The shop as a task of inspect_ai: ``inspect eval drretail/shop_research`` (drretail/addons/inspect/README.md).

registry.py       what inspect finds: the task, its solver and its scorers
task.py           ``shop_research``: queries as samples, inspect's own loop over them, and our metrics as its scorers
rollout.py        a sample's session with the nine tools as inspect calls them, and its run, kept in the sample's store
"""
