"""Vectors of words from the hidden states or the input embedding of a Hugging Face model."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from bayesbias.errors import ArgumentError, suggest
from bayesbias.support.arrays import Array, Index
from bayesbias.support.progress import tracked
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.templates import (
    BATCH,
    Text,
    averaged,
    distinct_words,
    evaluated,
    fetched,
    filled_texts,
    needed,
    own_tokens,
)

POOLINGS: Final[Mapping[str, Callable[[Array], Array]]] = {
    "mean": lambda rows: rows.mean(axis=0),
    "first": lambda rows: rows[0],
    "last": lambda rows: rows[-1],
}
"""How the vectors of a word's own tokens become one: each takes (n_tokens, dim), gives (dim,)."""


def vectors_from_transformer(
    model: Any,
    words: Iterable[str],
    *,
    tokenizer: Any = None,
    templates: Sequence[str] | None = None,
    layer: int | Literal["static"] = -1,
    pooling: Literal["mean", "first", "last"] = "mean",
) -> KeyedVectors:
    """Compute vectors of words with a Hugging Face model; parameters as in `load_embedding`.

    Texts of the same number of tokens go together, so that nothing is padded.
    """
    refuse_unusable(layer, pooling)
    listed = distinct_words(words)
    texts = filled_texts(listed, templates)
    encode = transformer_encoder(model, tokenizer=tokenizer, layer=layer, pooling=pooling)
    return averaged(listed, encode(texts))


def refuse_unusable(layer: Any, pooling: Any) -> None:
    """Refuse what names no layer or no pooling, before a model is loaded."""
    if pooling not in POOLINGS:
        raise ArgumentError(f"pooling={pooling!r}: unknown{suggest(str(pooling), POOLINGS)}")
    if layer != "static" and (isinstance(layer, bool) or not isinstance(layer, int | np.integer)):
        raise ArgumentError(f'layer={layer!r}: must be a whole number or "static"')


def transformer_encoder(
    model: Any, *, tokenizer: Any, layer: int | Literal["static"], pooling: str
) -> Callable[[Sequence[Text]], Array]:
    """Return a function of texts that gives the vectors of their words, shape (n_texts, dim).

    The model is loaded once.
    """
    needed("torch", "transformers")
    model, tokenizer = _loaded(model, tokenizer)
    longest = getattr(model.config, "max_position_embeddings", None)

    def encode(texts: Sequence[Text]) -> Array:
        encoded, own = own_tokens(tokenizer, texts, longest, apart=True)
        with evaluated(model):
            if layer == "static":
                return _static_rows(model, encoded, own, POOLINGS[pooling])
            return _layer_rows(model, tokenizer, encoded, own, int(layer), POOLINGS[pooling])

    return encode


def _loaded(model: Any, tokenizer: Any) -> tuple[Any, Any]:
    """Return a model and its fast tokenizer."""
    if tokenizer is None and not isinstance(model, str | Path):
        raise ArgumentError("tokenizer: is needed with a loaded model; give the one made for it")
    if tokenizer is None:
        tokenizer = model
    if isinstance(tokenizer, str | Path):
        load = needed("transformers", "transformers").AutoTokenizer.from_pretrained
        tokenizer = fetched(load, tokenizer)
    if not getattr(tokenizer, "is_fast", False):
        raise ArgumentError(
            f"tokenizer: {type(tokenizer).__name__} cannot tell which tokens are the word's; give "
            f"a fast tokenizer (PreTrainedTokenizerFast)"
        )
    if isinstance(model, str | Path):
        model = fetched(needed("transformers", "transformers").AutoModel.from_pretrained, model)
    if not hasattr(model, "get_input_embeddings"):
        raise ArgumentError(f"model is a {type(model).__name__}, not a model of transformers")
    return model, tokenizer


def _static_rows(
    model: Any, encoded: Any, own: Sequence[Index], pool: Callable[[Array], Array]
) -> Array:
    torch = needed("torch", "transformers")
    embedding = model.get_input_embeddings()
    device = next(embedding.parameters()).device
    tokens = (np.asarray(ids)[at] for ids, at in zip(encoded["input_ids"], own, strict=True))
    rows = (_numbers(embedding(torch.tensor(one, device=device))) for one in tokens)
    return np.array([pool(one) for one in rows])


def _layer_rows(
    model: Any,
    tokenizer: Any,
    encoded: Any,
    own: Sequence[Index],
    layer: int,
    pool: Callable[[Array], Array],
) -> Array:
    """Return a row per text: the word's own tokens in one hidden state, pooled."""
    torch = needed("torch", "transformers")
    body = model.get_encoder() if getattr(model.config, "is_encoder_decoder", False) else model
    device = next(model.parameters()).device
    taken = signature(body.forward).parameters
    names = [name for name in tokenizer.model_input_names if name in encoded and name in taken]
    rows: list[Array] = [np.empty(0)] * len(own)
    for batch in tracked(_batches(encoded["input_ids"]), "encoding", None):
        inputs = {
            name: torch.tensor([encoded[name][i] for i in batch], device=device) for name in names
        }
        states = body(**inputs, output_hidden_states=True).hidden_states
        if not -len(states) <= layer < len(states):
            raise ArgumentError(
                f"layer={layer}: this model has {len(states)} hidden states, 0 to "
                f"{len(states) - 1}, or −1 to −{len(states)} from the end"
            )
        for i, tokens in zip(batch, _numbers(states[layer]), strict=True):
            rows[i] = pool(tokens[own[i]])
    return np.array(rows)


def _batches(token_ids: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return batches of texts of one length, shortest first."""
    by_length: dict[int, list[int]] = {}
    for i, ids in enumerate(token_ids):
        by_length.setdefault(len(ids), []).append(i)
    return [
        same[start : start + BATCH]
        for _, same in sorted(by_length.items())
        for start in range(0, len(same), BATCH)
    ]


def _numbers(tensor: Any) -> Array:
    """Return a tensor of any precision and on any device as an array."""
    array: Array = tensor.float().cpu().numpy().astype(np.float64)
    return array
