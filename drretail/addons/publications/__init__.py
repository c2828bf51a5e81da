"""Metrics and agents of other publications, under their names (drretail/addons/publications/README.md).

descriptions.toml  how each is shown
dr3/               DR³-Eval's metrics: insights, required documents, accuracy, instructions, depth
rubrics/           a query's criteria: met, partly met or not met
report_eval/       DeepResearch-ReportEval: grades, repetition inside a report, support by sentence
pqr/               PDR-Bench: personalization, quality, reliability
race/              DeepResearch Bench: comparison with a reference report, and valid citations
agents/            agents of these publications
weighted/          dimensions, weights and criteria that are made for each query
triplets/          facts with their references, and whether these support them
"""

from pathlib import Path

DESCRIPTIONS = Path(__file__).with_name("descriptions.toml")
