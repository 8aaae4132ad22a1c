"""The fields of a ``config.json``: which change the logits, which do not; of others nobody here has heard."""

import warnings
from collections.abc import Mapping
from typing import Any

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
_BOTH = "vocab_size initializer_range tie_word_embeddings"
_GPT2 = (
    "n_positions n_embd n_layer n_head n_inner layer_norm_epsilon activation_function resid_pdrop embd_pdrop "
    "attn_pdrop scale_attn_weights scale_attn_by_inverse_layer_idx"
)
_LLAMA = (
    "max_position_embeddings hidden_size intermediate_size num_hidden_layers num_attention_heads "
    "num_key_value_heads head_dim hidden_act rms_norm_eps rope_theta rope_scaling rope_parameters "
    "original_max_position_embeddings partial_rotary_factor attention_bias mlp_bias sliding_window "
    "layer_types use_sliding_window max_window_layers num_local_experts num_experts_per_tok "
    "router_aux_loss_coef"
)
_GPT_NEO = (
    "max_position_embeddings hidden_size num_layers num_heads attention_types attention_layers "
    "intermediate_size window_size activation_function resid_dropout embed_dropout attention_dropout "
    "layer_norm_epsilon classifier_dropout"
)
_GPT_NEOX = (
    "max_position_embeddings hidden_size num_hidden_layers num_attention_heads intermediate_size hidden_act "
    "rotary_pct rotary_emb_base rope_theta rope_scaling rope_parameters partial_rotary_factor "
    "original_max_position_embeddings hidden_dropout attention_dropout classifier_dropout layer_norm_eps "
    "use_parallel_residual attention_bias"
)
_OWN = {"gpt2": _GPT2, "gpt_neo": _GPT_NEO, "gpt_neox": _GPT_NEOX}


def warn_of_others(fields: Mapping[str, Any], architecture: str) -> None:
    """Nothing is passed over in silence."""
    read = f"{_BOTH} {_OWN.get(architecture, _LLAMA)} {_WITHOUT_EFFECT}".split()
    known = MATTERING.keys() | set(read)
    other = sorted(name for name in map(str, fields) if name not in known and not name.startswith("_"))
    if other:
        warnings.warn(
            f"config.json has fields that are not known here: {', '.join(other)}. They are passed over; if "
            "one of them changes the computation, the logits will differ from the original's.",
            stacklevel=4,
        )
