"""The moves of an assessor, and the organiser's: every rule of the collection lives here."""
