"""What came before the transformer: counting, a window, a state carried along, first attention."""

from support.ancestors.bengio import NeuralNGram
from support.ancestors.ngram import NGram
from support.ancestors.perceptrons import Perceptrons
from support.ancestors.recurrent import GRU, LSTM, RNN, Cell, MinGRU, RecurrentModel, as_torch, scan
from support.ancestors.seq2seq import AdditiveAttention, Seq2Seq

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "AdditiveAttention",
    "Cell",
    "MinGRU",
    "NGram",
    "NeuralNGram",
    "Perceptrons",
    "RecurrentModel",
    "Seq2Seq",
    "as_torch",
    "scan",
]
