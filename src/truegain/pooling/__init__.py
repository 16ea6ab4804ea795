"""Unjudged documents: what they can hide, what they are likely worth, which to judge next."""
