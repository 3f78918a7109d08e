"""High-accuracy reference solutions that the zoo's problems are measured against."""
