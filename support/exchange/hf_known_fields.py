"""The fields of a ``config.json``: which change the logits, which do not; of others nobody here has heard."""

import warnings
from collections.abc import Mapping
from typing import Any

from support.exchange.hf_tables import COMMON, GPT2, GPT_NEO, GPT_NEOX, LLAMA, MIXTURE, names

# Fields of relatives of these architectures that change the logits, with the value at which they do not.
MATTERING: dict[str, Any] = {
    "attention_multiplier": None,
    "logits_scaling": 1,
    "embedding_multiplier": 1,
    "residual_multiplier": 1,
    "logit_scale": None,
    "final_logit_softcapping": None,
    "attn_logit_softcapping": None,
    "query_pre_attn_scalar": None,
    "clip_qkv": None,
    "use_qk_norm": False,
    "no_rope_layers": None,
    "is_encoder_decoder": False,
    "add_cross_attention": False,
    "pruned_heads": {},
}
# Fields that leave the logits of an evaluation as they are: training, tokens, outputs, bookkeeping. A
# pretraining_tp above 1 adds the same products in another order.
_WITHOUT_EFFECT = (
    "_name_or_path architectures attention_dropout attn_implementation auto_map bad_words_ids "
    "begin_suppress_tokens bos_token_id cache_implementation chunk_size_feed_forward "
    "cross_attention_hidden_size decoder_start_token_id diversity_penalty do_sample dtype early_stopping "
    "encoder_no_repeat_ngram_size eos_token_id exponential_decay_length_penalty finetuning_task "
    "forced_bos_token_id forced_eos_token_id gradient_checkpointing id2label is_decoder label2id "
    "length_penalty max_length min_length model_type n_ctx no_repeat_ngram_size num_beam_groups num_beams "
    "num_return_sequences output_attentions output_hidden_states output_router_logits output_scores "
    "pad_token_id prefix pretraining_tp problem_type quantization_config remove_invalid_values "
    "reorder_and_upcast_attn repetition_penalty return_dict return_dict_in_generate router_jitter_noise "
    "sep_token_id summary_activation summary_first_dropout summary_proj_to_labels summary_type "
    "summary_use_proj suppress_tokens task_specific_params temperature tf_legacy_loss tie_encoder_decoder "
    "tokenizer_class top_k top_p torch_dtype torchscript transformers_version typical_p unk_token_id "
    "use_bfloat16 use_cache"
)
# Read by the functions beside the tables.
_ROPE = "rope_theta rope_scaling rope_parameters original_max_position_embeddings partial_rotary_factor"
_OWN = {
    "gpt2": (GPT2, "scale_attn_weights scale_attn_by_inverse_layer_idx"),
    "gpt_neo": (GPT_NEO, "attention_types attention_layers window_size classifier_dropout"),
    "gpt_neox": (GPT_NEOX, f"{_ROPE} rotary_pct rotary_emb_base classifier_dropout"),
}
_WINDOWS = "sliding_window layer_types use_sliding_window max_window_layers"
_LLAMA = (LLAMA + MIXTURE, f"{_ROPE} {_WINDOWS} hidden_act")


def warn_of_others(fields: Mapping[str, Any], architecture: str) -> None:
    """Nothing is passed over in silence."""
    table, read = _OWN.get(architecture, _LLAMA)
    known = MATTERING.keys() | names(COMMON + table) | set(f"{read} {_WITHOUT_EFFECT}".split())
    other = sorted(name for name in map(str, fields) if name not in known and not name.startswith("_"))
    if other:
        warnings.warn(
            f"config.json has fields that are not known here: {', '.join(other)}. They are passed over; if "
            "one of them changes the computation, the logits will differ from the original's.",
            stacklevel=4,
        )
