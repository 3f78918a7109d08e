"""How fast and how accurate: measurements within one run, against fixed yardsticks."""
