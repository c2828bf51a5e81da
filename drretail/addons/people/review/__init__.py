"""People review queries one by one, as the paper's authors did (section 5.1): with a sheet, or in a browser.

decisions.py  a decision with the three answers behind it, its log, and what an edit changed in a query; which decisions
              count, what becomes of each query, the reviewed file, and the statistics of a review
form.py       what a reviewer sees of a query, and the query and a decision on it as cells of text
sheet.py      writes a sheet to fill in, and reads decisions from a filled one; the pages are in viewer/live
"""
