"""How far scores would move on another collection of the same kind."""
