"""An experiment as pages for a browser: self-contained, loading nothing, running only the page's own script.

document.py     the whole report: one file, or an index and a page for each question; a notebook's cells
overview.py     the parts around the questions: the first screen, the map of every answer, all tables, the method
picture.py      its picture: each headline with intervals, and differences beside zero
question.py     a question: its answers side by side, how judges compared them, and the runs
run_part.py     a run as its templates need it: claims, sources, conversation, its agents
report_html.py  a report with its claims and findings marked
frame.py        templates, style, script, and the content security policy; addresses of links; Markdown
templates/      a template for each of these, shared parts, style and script
"""
