"""DR³-Agent (Song et al., DR³-Eval): one loop that writes the report, and two sub-agents that it sends.

agent.py       the main agent's loop, that of its searches, and a question to a file, part by part
prompts/       what each role is told
"""
