"""From window to window along one coordinate, and the choices a user need not make."""
