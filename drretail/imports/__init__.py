"""Reports, tasks and personas in the forms of other benchmarks and products, as an experiment.

formats.py        the forms by name
material.py       what every form is read into: tasks and reports
rows.py           rows out of JSON, JSONL and folders, whoever wrote them
drb.py            deep_research_bench
drg.py            DeepResearchGym
reporteval.py     ReportEval
dr3.py            DR³-Eval
liveresearch.py   LiveResearchBench
deepshop.py       DeepShop
agenticshop.py    AgenticShop
pdr.py            PDR-Bench
markdown.py       a folder of reports
question_ids.py   which question of the experiment a foreign task is
cited_sources.py  the sources that a report names, as evidence that nobody fetched
given_pages.py    cited pages that lie in a folder or a file of the user's
recording.py      the experiment folder, and what came into it
"""
