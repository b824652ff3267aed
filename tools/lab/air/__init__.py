"""Faults of the air and of adapters, from a table, and ceremonies under each."""
