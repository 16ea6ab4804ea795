"""Preferences between systems: Bradley-Terry and Davidson over topics, corrected by people's preferences."""
