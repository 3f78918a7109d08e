"""How a network is grown: one step of the paper a file."""
