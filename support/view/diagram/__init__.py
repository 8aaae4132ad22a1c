"""Drawings of what is built, with shapes on the arrows: each function gives one, ready to be shown.

They are vector graphics with real text. What a thing is decides its colour (`support.view.style.ROLES`). A
drawing is read from the top to the bottom, and time runs from left to right. Where it takes a `GPTConfig`,
its sizes are the configuration's; without one they are names.
"""

from support.view.diagram.assistant import lora, preferences, tools
from support.view.diagram.attention import attention
from support.view.diagram.belt import belt, exchange
from support.view.diagram.canvas import Diagram
from support.view.diagram.diagnosis import diagnosis
from support.view.diagram.experts import experts, swiglu
from support.view.diagram.families import families
from support.view.diagram.forecasts import forecasts
from support.view.diagram.graph import computation_graph, walk_back
from support.view.diagram.heads import cache, heads
from support.view.diagram.inside import checkpoint, hooks, orchestra
from support.view.diagram.layers import block, decoder, feed_forward
from support.view.diagram.lead import lead
from support.view.diagram.lottery import lottery
from support.view.diagram.market import market
from support.view.diagram.memory import lstm, postcards, rnn, seq2seq
from support.view.diagram.neurons import descent, neuron
from support.view.diagram.parallel import parallelism, pipeline, ring, tensor_parallel
from support.view.diagram.probability import loss_of_logits, predictors, sampling
from support.view.diagram.shapes import Box, Drawing
from support.view.diagram.space import positions, projection
from support.view.diagram.tokens import embedding, merges, vocabulary
from support.view.diagram.training import failures, learning_curve, training_loop
from support.view.diagram.way import way

__all__ = [
    "Box",
    "Diagram",
    "Drawing",
    "attention",
    "belt",
    "block",
    "cache",
    "checkpoint",
    "computation_graph",
    "decoder",
    "descent",
    "diagnosis",
    "embedding",
    "exchange",
    "experts",
    "failures",
    "families",
    "feed_forward",
    "forecasts",
    "heads",
    "hooks",
    "lead",
    "learning_curve",
    "lora",
    "loss_of_logits",
    "lottery",
    "lstm",
    "market",
    "merges",
    "neuron",
    "orchestra",
    "parallelism",
    "pipeline",
    "positions",
    "postcards",
    "predictors",
    "preferences",
    "projection",
    "ring",
    "rnn",
    "sampling",
    "seq2seq",
    "swiglu",
    "tensor_parallel",
    "tools",
    "training_loop",
    "vocabulary",
    "walk_back",
    "way",
]
