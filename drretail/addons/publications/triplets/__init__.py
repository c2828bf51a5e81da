"""The facts of a report with the references that it gives for each, and whether these support them.

PDR-Bench measures reliability, and DeepResearch Bench counts valid citations, by these triplets: (fact, reference,
URL).

triplet_support.py   facts, the questions that find them, and whether a page supports the facts that cite it
prompts/             what the judge is asked
"""
