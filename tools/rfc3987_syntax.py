"""Stands before the package of that name, which jsonschema imports wherever it finds it, and refuses.

The package builds 38 grammars as it is imported: 1.3 s in every process that reads a notebook. What it is
for, international addresses in a JSON schema, no notebook has; without it jsonschema leaves that check out.
"""

raise ImportError("nothing here checks international addresses")
