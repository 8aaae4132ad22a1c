"""Interpretability: hook points, traces, ablation, patching, logit lens and attribution; maps and probes."""

from support.inside.embedding_report import READABLE, EmbeddingReport, embedding_report
from support.inside.hooks import Activations, hook_points, hooked, only, run_with_cache, run_with_hooks
from support.inside.lens import TunedLens, logit_lens, tune_lens
from support.inside.logit_attribution import LogitAttribution, direct_logit_attribution
from support.inside.map_quality import neighbours_kept, trustworthiness
from support.inside.maps import (
    Map,
    concept_plane,
    gram_schmidt,
    pca,
    remove_top,
    tsne,
    umap,
    unit_sphere,
)
from support.inside.patching import activation_patching
from support.inside.probes import Probe, fit_on_all, probe
from support.inside.retrofit import retrofit
from support.inside.similarity import analogy, cosine, cosines, neighbours
from support.inside.sparse_autoencoder import SparseAutoencoder, SparseCode, train_sparse_autoencoder
from support.inside.through_time import jacobian_norms, step_jacobians
from support.inside.trace import Trace, ablate, trace

__all__ = [
    "READABLE",
    "Activations",
    "EmbeddingReport",
    "LogitAttribution",
    "Map",
    "Probe",
    "SparseAutoencoder",
    "SparseCode",
    "Trace",
    "TunedLens",
    "ablate",
    "activation_patching",
    "analogy",
    "concept_plane",
    "cosine",
    "cosines",
    "direct_logit_attribution",
    "embedding_report",
    "fit_on_all",
    "gram_schmidt",
    "hook_points",
    "hooked",
    "jacobian_norms",
    "logit_lens",
    "neighbours",
    "neighbours_kept",
    "only",
    "pca",
    "probe",
    "remove_top",
    "retrofit",
    "run_with_cache",
    "run_with_hooks",
    "step_jacobians",
    "trace",
    "train_sparse_autoencoder",
    "trustworthiness",
    "tsne",
    "tune_lens",
    "umap",
    "unit_sphere",
]
