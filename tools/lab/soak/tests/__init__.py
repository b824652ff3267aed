"""Tests of the soak: tools/lab/soak/check runs them."""
