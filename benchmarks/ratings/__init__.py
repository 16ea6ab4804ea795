"""Many assessors: speed, the simulation behind figure 8, and real ratings."""
