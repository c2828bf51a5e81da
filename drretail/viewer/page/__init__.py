"""An experiment as pages for a browser: self-contained, nothing is loaded, nothing runs but the page's own script.

document.py     the whole report, as one file
overview.py     how it begins: the scoreboard
run.py          one run: its report, claims, findings, sources and steps
cards.py        what is said of each claim, finding, source and step
report_html.py  a report with its claims and findings marked
markdown.py     markdown as tokens whose every character knows its place in the source
sheets.py       tables of scores, cut to the page's width
repeated.py     long texts, once on a page
frame.py        templates, style, script, and the policy that lets nothing else in
templates/      a template for each of these, parts that they share, style and script
"""
