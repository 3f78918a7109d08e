"""What is to be solved: symbols and numbers, no work."""
