"""The paper's experiments beside its printed values, benchmarks, and studies of the library.

Knows everything below it, and runs it through the public names. Must not be known to any room but
the command line.
"""
