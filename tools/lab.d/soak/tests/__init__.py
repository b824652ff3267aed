"""Tests of the soak: tools/lab.d/soak/check runs them."""
