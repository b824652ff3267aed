"""Ceremonies for hours, with faults drawn from a seed: see the section "A soak" in ../README.md."""
