"""Does a report recommend what the user really bought next? Counted without a judge (docs/next-purchase.md).

hits.py   recommendations, and what sells best, beside the purchase: one verdict for each report
score.py  shares of reports that hit it; the family
"""
