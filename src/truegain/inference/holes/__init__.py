"""What the unjudged documents can hide, and which to judge next."""
