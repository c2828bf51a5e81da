"""What only some need, each in a folder with everything of its own. The core imports none of them.

Each enters through the tables in its names.toml, as a plugin does through entry points: its commands, its metrics.
An add-on imports the core, and other add-ons where pyproject.toml declares it.

assistants/   one answer held against a shop's records, and a user taken out of an experiment: ``check``, ``forget``
downloads/    the raw files of Amazon Reviews 2023: ``download``
exports/      an experiment in the forms that other programs read: ``export``
gym/          the shop for reinforcement learning: worlds by rollout, rewards from eval's baskets
imports/      reports of other programs as an experiment: ``import``
inspect/      the shop as a task of inspect_ai with our metrics as its scorers, and logs for its viewer
lab/          how good a judge is, by people's labels: ``lab``
people/       what people say of reports: votes, ratings, labels
personas/     users as personas with contexts, paired with tasks: ``queries personas``, ``context``, ``pair``
publications/ metrics of other publications (pqr, dr3, report_eval), and the agent dr3
reproduction/ the paper's experiment made again, and a folder held against its journals: ``reproduce``, ``verify``
sandboxes/    sealed webs, one for each query: ``sandbox``
spark/        the selection of an ingest on Spark: ``ingest --engine spark``
voting/       the pages on which people vote, in the browser: ``vote``
"""
