"""Does an agent do what a hostile text tells it to, measured by what its runs did (docs/robustness.md).

score.py  a verdict for each text: unread, ignored, stopped, obeyed; these as values of the report; the family
"""
