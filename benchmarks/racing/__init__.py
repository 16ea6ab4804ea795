"""What runs contestants: fresh processes in turns, a calibration loop, tables, history."""
