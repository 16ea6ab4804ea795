"""What was sampled (topics, documents, assessors, gold pairs), as random weights."""
