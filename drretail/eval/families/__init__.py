"""The metric families, loaded by name (registry.py): a folder where a judge is asked, with its prompts, else one file.

faithfulness/     are cited claims borne out by their sources
fault_place/      where wrong claims went wrong
quality/          seven dimensions, rated
dr3/              DR³-Eval's metrics: insights, required documents, accuracy, instructions, depth
rubrics/          criteria of a query, met, met in part or not
report_eval/      DeepResearch-ReportEval: grades, repetition inside a report, support by sentence
pairwise/         which of two reports is better, and strengths of many systems
reading/          picks and values that a judge reads out of reports
checks.py         faults that code finds
process.py        what runs did
basket.py         how far what a report would have bought is from the best basket
outcome.py        does it say no where the shop can't meet a wish, and only there
understood.py     did it understand what the question wants
intent.py         does it ask for what a query hides, and keep to it
next_purchase.py  does it recommend what was bought next
moves.py          what a shop that moves does to carts, by code
truth.py          what a decision is worth if nothing in the report is false
robustness.py     does it do what a hostile text tells it
pqr/              PDR-Bench: personalization, quality, reliability
race/             DeepResearch Bench: beside a reference report, and valid citations
"""
