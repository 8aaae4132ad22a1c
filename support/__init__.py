"""From one neuron to an assistant: the package behind the book.

The subpackages follow the way that a token travels, and each imports only from those before it:
`core, text, worlds, model, ancestors, training, generation, inside, alignment, exchange, zoo, view`.
What lives where is told in the repository's CONTRIBUTING.md, under *Where things live*.
"""

__version__ = "0.1.0"
