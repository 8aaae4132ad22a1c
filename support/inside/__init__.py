"""Looking inside: traces, the logit lens, ablation; concept planes, maps and probes."""

from support.inside.acceptance import READABLE, Acceptance, accept
from support.inside.likeness import analogy, cosine, cosines, neighbours
from support.inside.maps import (
    Map,
    concept_plane,
    gram_schmidt,
    neighbours_kept,
    pca,
    remove_top,
    trustworthiness,
    tsne,
    umap,
    unit_sphere,
)
from support.inside.probes import Probe, fit_on_all, probe
from support.inside.retrofit import retrofit
from support.inside.trace import Trace, ablate, logit_lens, trace

__all__ = [
    "READABLE",
    "Acceptance",
    "Map",
    "Probe",
    "Trace",
    "ablate",
    "accept",
    "analogy",
    "concept_plane",
    "cosine",
    "cosines",
    "fit_on_all",
    "gram_schmidt",
    "logit_lens",
    "neighbours",
    "neighbours_kept",
    "pca",
    "probe",
    "remove_top",
    "retrofit",
    "trace",
    "trustworthiness",
    "tsne",
    "umap",
    "unit_sphere",
]
