"""Looking inside: traces, points and patches, lenses, shares, ablation; concept planes, maps and probes."""

from support.inside.acceptance import READABLE, Acceptance, accept
from support.inside.attribution import Attribution, attribute
from support.inside.lens import TunedLens, logit_lens, tune_lens
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
from support.inside.patching import restored
from support.inside.points import Activations, only, patched, points, watch
from support.inside.probes import Probe, fit_on_all, probe
from support.inside.retrofit import retrofit
from support.inside.through_time import jacobian_norms, step_jacobians
from support.inside.trace import Trace, ablate, trace

__all__ = [
    "READABLE",
    "Acceptance",
    "Activations",
    "Attribution",
    "Map",
    "Probe",
    "Trace",
    "TunedLens",
    "ablate",
    "accept",
    "analogy",
    "attribute",
    "concept_plane",
    "cosine",
    "cosines",
    "fit_on_all",
    "gram_schmidt",
    "jacobian_norms",
    "logit_lens",
    "neighbours",
    "neighbours_kept",
    "only",
    "patched",
    "pca",
    "points",
    "probe",
    "remove_top",
    "restored",
    "retrofit",
    "step_jacobians",
    "trace",
    "trustworthiness",
    "tsne",
    "tune_lens",
    "umap",
    "unit_sphere",
    "watch",
]
