"""The cases, one module a layer (two where a layer is large)."""
