"""Facts of a report with the references it gives for each, and whether these bear them out.

That is how PDR-Bench measures reliability and DeepResearch Bench counts valid citations: (fact, reference, URL).

facts.py             triplets as they are extracted, unique facts, what is known of their support
triplet_extraction.py the questions that find triplets and duplicates in a report
triplet_support.py   whether a page bears out the facts that cite it, one question a page
prompts/             what the judge is asked
"""
