"""Problems as text and plain data: the parser, documents, problem files, and files themselves.

Knows the problem and its vocabulary; text is parsed, never evaluated. Must not know how a problem
is solved.
"""
