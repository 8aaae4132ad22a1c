"""From one neuron to an assistant: the package behind the book.

The rooms are laid out along the way a token travels (see DESIGN in the repository's CONTRIBUTING):
`core, text, worlds, model, ancestors, training, generation, inside, alignment, exchange, zoo, view`.
Each room imports only from rooms before it in that list.
"""

__version__ = "0.1.0"
