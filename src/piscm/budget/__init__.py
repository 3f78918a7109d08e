"""What a run may use: time and memory, and what happens when it is over.

Knows clocks and sizes, and nothing of what is computed.
"""
