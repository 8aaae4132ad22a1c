"""The claims of the sources, one small function each."""
