"""Facts of a report with the references it gives for each, and whether these bear them out.

That is how PDR-Bench measures reliability and DeepResearch Bench counts valid citations: (fact, reference, URL).

triplet_support.py   facts, the questions that find them, and whether a page bears out what cites it
prompts/             what the judge is asked
"""
