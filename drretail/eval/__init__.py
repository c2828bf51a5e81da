"""Evaluation of recorded runs: judges write verdicts, and pure code makes scores of them.

metric.py        a metric, and ``@metric``, which makes one from a function
values.py        one report's value in a variant
registry.py      metrics by name; errors of plugins name the metric
scoring.py       ``score``: metrics x judges x runs, then scores.json
check_results.py  checks that pass, fail or can't be made, with files and reasons
proofs.py        what was proved of an experiment, so that it is not proved again
verification.py  whether a folder agrees with its own hashes and journals
rejudging.py     verdicts and scores made again, and compared with those of a folder
estimate.py      the likely cost of ``score``, by a dry run
judging/         what a judge is shown, what it is asked, and its verdicts
scores/          verdicts → rows with intervals
metrics/        the metrics
baskets.py       carts and refusals compared with the baskets that satisfy a wish
references.py    the baskets that satisfy a wish: made of the world, kept as counts, ends and a digest
claims/          claims of reports, and whether their sources support them
counterfactual/  what changes when the profile does
judge_prompts.py the user's own prompts for judges
method.py        how each judge was asked: model, prompts, repeats, cost
notes.py         what add-ons say beside scores
ballots.py       people's votes and labels on reports: read, cast and taken back
compare/         two systems on the same queries
"""
