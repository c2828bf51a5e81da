"""Hybrid-ReAct (paper section 4): each part a function or small class, so that siblings are made of the same parts.

agent.py       the whole graph
supervisor.py  reasons, launches, reads, finalizes
branches.py    a branch for each launch: research, then synthesis
researcher.py  a ReAct loop over one sub-problem, and the synthesis of what it finds
report_generator.py  query and intermediate reports become the report
moves.py       Reason, LaunchResearcher, Finalize
prompts/       what each role is told
"""
