"""Evaluators of recorded runs: a judge writes verdicts, pure code makes scores of them.

family.py        what a metric family is, and ``@metric``, which makes one of a function
guarded.py       families of somebody else's, their faults told by name
values.py        what one report gets in a variant
breakdown.py     families by code that sort what another's judge found wrong
registry.py      families by name
scoring.py       ``score``: families x judges x runs, then scores.json
estimate.py      what ``score`` is likely to take, by a dry run
judging/         what a judge is shown, asked and has said
scores/          verdicts → rows with intervals
claims/          claims of reports, and whether their sources bear them out
faithfulness/    are cited claims borne out by their sources
fault_place/     where wrong claims went wrong
failure_modes/   what kind of weakness low ratings are about
quality/         seven dimensions, rated
dr3/             DR³-Eval's metrics: insights, required documents, accuracy, instructions, depth
error_causes/    why insights are missed and claims are wrong on a sandbox
rubrics/         criteria of a query, met, met in part or not
report_eval/     DeepResearch-ReportEval: grades, repetition inside a report, support by sentence
pairwise/        which of two reports is better, and strengths of many systems
reading/         picks and values that a judge reads out of reports
checks/          faults that code finds
process/         what runs did
basket/          how far what a report would have bought is from the best basket
outcome/         does it say no where the shop can't meet a wish, and only there
understood/      did it understand what the question wants
next_purchase/   does it recommend what was bought next
robustness/      does it do what a hostile text tells it
weighted/        dimensions, weights and criteria that are made for each query
triplets/        facts with their references, and whether these bear them out
pqr/             PDR-Bench: personalization, quality, reliability
race/            DeepResearch Bench: beside a reference report, and valid citations
counterfactual/  what changes when the profile does
judge_prompts.py what judges are told, in words of the user's
ballots.py       what people said of reports: read, cast and taken back
compare/         two systems on the same queries
lab/             is the judge any good?
"""
