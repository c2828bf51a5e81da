"""DR³-Agent (Song et al., DR³-Eval): one loop that writes the report, and two sub-agents that it sends.

agent.py         the main agent's loop, and that of its searches; both tools are carried out in branches of the run
file_reading.py  a question to a file, part by part
prompts/         what each role is told
"""
