"""Hybrid-ReAct (paper section 4): each part a function or small class, so that siblings are made of the same parts.

agent.py             the whole graph
moves.py             Reason, LaunchResearcher, Finalize
supervisor.py        reasons, launches, reads, finalizes
branches.py          a branch for each launch: research, then synthesis
researcher.py        a ReAct loop over one sub-problem; its findings become an intermediate report
report_generator.py  query and intermediate reports become the report
prompts/             what each role is told
"""
