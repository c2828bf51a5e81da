"""An experiment as pages for a browser: self-contained, loading nothing, running only the page's own script.

document.py      the whole report: one file, or an index and a page for each question; live, conversations, too
overview.py      the result, the scoreboard and every answer; plots; what is false
board.py         the scoreboard with outcomes and each system's difference from a baseline
outcomes.py      what became of each answer, as bars, as a map of questions by systems, and as chips
first_screen.py  a question at a glance: its limits, and of each answer what it picks and what that breaks
question.py      a question: its answers side by side, their picks, how judges compared them, and the runs
run_tables.py    a searchable table of all runs; what failed, and why
appendix.py      tables of all scores cut to the width of the page, the method, how to read and to repeat it
run_part.py      a run as its templates need it: claims, sources, steps, conversation
agent_tree.py    the agents of a run in the order of their launch, and its steps as a timeline
report_html.py   a report with its claims and findings marked
markdown.py      Markdown as tokens with the source offset of every character
links.py         addresses of links: places on the page, or pages of the folder
notebook.py      scores, runs and reports as the cells of a notebook show them
frame.py         templates, style, script, and the content security policy
templates/       a template for each of these, shared parts, style and script
"""
