"""What is raced: one file a workload, with who takes part; the list is in catalogue.py."""
