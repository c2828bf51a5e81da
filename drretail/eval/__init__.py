"""Evaluators of recorded runs: a judge writes verdicts, pure code makes scores of them.

family.py        what a metric family is, and ``@metric``, which makes one of a function
values.py        what one report gets in a variant
registry.py      families by name; errors in those of others name the family
scoring.py       ``score``: families x judges x runs, then scores.json
check_results.py  checks that pass, fail or can't be made, with files and reasons
verification.py  whether a folder agrees with its own hashes and journals
rejudging.py     verdicts and scores made again, beside those of a folder
estimate.py      what ``score`` is likely to take, by a dry run
judging/         what a judge is shown, asked and has said
scores/          verdicts → rows with intervals
families/        the metric families
baskets/         carts and refusals beside the baskets that keep to a wish
claims/          claims of reports, and whether their sources bear them out
weighted/        dimensions, weights and criteria that are made for each query
triplets/        facts with their references, and whether these bear them out
counterfactual/  what changes when the profile does
judge_prompts.py what judges are told, in words of the user's
ballots.py       what people said of reports: read, cast and taken back
compare/         two systems on the same queries
"""
