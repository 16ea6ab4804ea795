"""What assessors and the organizer do; every rule of the collection lives here."""
