"""The network: activations and hidden nodes."""
