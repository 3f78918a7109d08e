"""The experiments of the paper, run again beside its printed values."""
