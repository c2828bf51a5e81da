"""Metrics and agents of other publications, under their names (drretail/addons/publications/README.md).

descriptions.toml  how each is shown
dr3/               DR³-Eval's metrics: insights, required documents, accuracy, instructions, depth
report_eval/       DeepResearch-ReportEval: grades, repetition inside a report, support by sentence
pqr/               PDR-Bench: personalization, quality, reliability
agents/            agents of these publications
"""

from pathlib import Path

DESCRIPTIONS = Path(__file__).with_name("descriptions.toml")
