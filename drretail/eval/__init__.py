"""Evaluation of recorded runs: judges write verdicts, and pure code makes scores of them.

metric.py          a report's value in a variant; a metric, and ``@metric``, which makes one from a function
names.py           every metric by name
registry.py        metrics by name; errors of plugins name the metric
scoring.py         ``score_experiment``: metrics x judges x runs, then scores.json
estimate.py        what judging is likely to take
judging/           what a judge is shown, what it is asked, and its verdicts
numbers/           verdicts → one long table; means of it, contrasts of two systems, scores.json and comparisons
metrics/           the metrics
baskets.py         carts and refusals compared with the baskets that satisfy a wish; these baskets, made of the world
                   and kept
claims/            claims of reports, and whether their sources support them
method.py          how each judge was asked: the user's own prompts, model, repeats, cost; what add-ons say beside
                   scores
ballots.py         people's votes and labels on reports: read, cast and taken back
"""
