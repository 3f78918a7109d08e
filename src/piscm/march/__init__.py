"""`Auto` and `Windows`: marching from window to window, and the choices a user need not make.

Knows how one window is fitted, and finds unknowns that all windows share.
"""
