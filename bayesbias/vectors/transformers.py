"""Vectors of words in texts, by the models of transformers and sentence-transformers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, EmbeddingError, suggest
from bayesbias.support.arrays import Array, Index
from bayesbias.support.progress import tracked
from bayesbias.vectors.templates import BATCH, Text

POOLINGS: Final[Mapping[str, Callable[[Array], Array]]] = {
    "mean": lambda rows: rows.mean(axis=0),
    "first": lambda rows: rows[0],
    "last": lambda rows: rows[-1],
}
"""How the vectors of a word's own tokens become one: each takes (n_tokens, dim), gives (dim,)."""


def refuse_unusable(layer: Any, pooling: Any) -> None:
    """Refuse what names no layer or no pooling, before a model is loaded."""
    if pooling not in POOLINGS:
        raise ArgumentError(f"pooling={pooling!r}: unknown{suggest(str(pooling), POOLINGS)}")
    if layer != "static" and (isinstance(layer, bool) or not isinstance(layer, int | np.integer)):
        raise ArgumentError(f'layer={layer!r}: must be a whole number or "static"')


def transformer_encoder(
    model: Any,
    *,
    tokenizer: Any = None,
    layer: int | Literal["static"] = -1,
    pooling: str = "mean",
) -> Callable[[Sequence[Text]], Array]:
    """Return a function of texts that gives the vectors of their words, (n_texts, dim).

    The model is loaded once. Texts of as many tokens go together, so that nothing is padded.
    """
    model, tokenizer = with_tokenizer(model, tokenizer)
    longest = getattr(model.config, "max_position_embeddings", None)

    def encode(texts: Sequence[Text]) -> Array:
        encoded, own = _own_tokens(tokenizer, texts, longest, apart=True)
        with _evaluated(model):
            if layer == "static":
                return _static_rows(model, encoded, own, POOLINGS[pooling])
            return _layer_rows(model, tokenizer, encoded, own, int(layer), POOLINGS[pooling])

    return encode


def with_tokenizer(model: Any, tokenizer: Any) -> tuple[Any, Any]:
    """Return a model and its fast tokenizer, loaded if they are names."""
    _needed("torch", "transformers")
    if tokenizer is None and not isinstance(model, str | Path):
        raise ArgumentError("tokenizer: is needed with a loaded model; give the one made for it")
    if tokenizer is None:
        tokenizer = model
    if isinstance(tokenizer, str | Path):
        load = _needed("transformers", "transformers").AutoTokenizer.from_pretrained
        tokenizer = _fetched(load, tokenizer)
    if not getattr(tokenizer, "is_fast", False):
        raise ArgumentError(
            f"tokenizer: {type(tokenizer).__name__} cannot tell which tokens are the word's; give "
            f"a fast tokenizer (PreTrainedTokenizerFast)"
        )
    if isinstance(model, str | Path):
        model = _fetched(_needed("transformers", "transformers").AutoModel.from_pretrained, model)
    if not hasattr(model, "get_input_embeddings"):
        raise ArgumentError(f"model is a {type(model).__name__}, not a model of transformers")
    return model, tokenizer


def _static_rows(
    model: Any, encoded: Any, own: Sequence[Index], pool: Callable[[Array], Array]
) -> Array:
    torch = _needed("torch", "transformers")
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
    torch = _needed("torch", "transformers")
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


def sentence_encoder(model: Any) -> Callable[[Sequence[Text]], NDArray[np.floating]]:
    """Return a function of texts that gives their vectors, (n_texts, dim); loads the model once.

    If the model has a default prompt, it is put before every text.
    """
    model = sentence_model(model)

    def encode(texts: Sequence[Text]) -> NDArray[np.floating]:
        if getattr(getattr(model, "tokenizer", None), "is_fast", False):
            longest = getattr(model, "max_seq_length", None)
            _own_tokens(model.tokenizer, texts, longest, apart=False)
        rows = []
        with _evaluated(model):
            for start in tracked(range(0, len(texts), BATCH), "encoding", None):
                batch = [text.filled for text in texts[start : start + BATCH]]
                rows.append(model.encode(batch, convert_to_numpy=True, show_progress_bar=False))
        return np.concatenate(rows)

    return encode


def sentence_model(model: Any) -> Any:
    """Return a model of sentences, loaded if it is a name."""
    if isinstance(model, str | Path):
        library = _needed("sentence_transformers", "sentence-transformers")
        model = _fetched(library.SentenceTransformer, model)
    if not hasattr(model, "encode"):
        raise ArgumentError(f"model is a {type(model).__name__}, not a SentenceTransformer")
    return model


_WORD_MARKS: Final = ("Ġ", "▁")
"""What tokens that begin a word begin with: of byte-level BPE, and of SentencePiece."""


def words_of_tokenizer(tokenizer: Any) -> list[str]:
    """Return the tokens that are whole words, in their order; none where these are not known."""
    vocabulary: dict[str, int] = getattr(tokenizer, "get_vocab", dict)()
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    for mark in _WORD_MARKS:
        marked = [token for token in tokens if token.startswith(mark)]
        if len(marked) > len(tokens) / 10:
            return [tokenizer.convert_tokens_to_string([token]).strip() for token in marked]
    return [token for token in tokens if not token.startswith("##")]  # WordPiece marks the others


def _own_tokens(
    tokenizer: Any, texts: Sequence[Text], longest: int | None, *, apart: bool
) -> tuple[Any, list[Index]]:
    """Tokenize the texts; say which tokens are each word's, with `apart` of no other word too."""
    encoded = tokenizer([text.filled for text in texts], return_offsets_mapping=True)
    limit = min(tokenizer.model_max_length, longest or tokenizer.model_max_length)
    own, lost, unknown = [], [], []
    for text, ids, offsets in zip(
        texts, encoded["input_ids"], encoded["offset_mapping"], strict=True
    ):
        if len(ids) > limit:
            raise EmbeddingError(
                f"{text.filled[:60]!r} has {len(ids)} tokens where the model takes {limit}; "
                f"shorten the template or the word"
            )
        spans = np.asarray(offsets).reshape(-1, 2)
        places = np.flatnonzero((spans[:, 0] < text.stop) & (spans[:, 1] > text.start))
        if apart:
            _refuse_shared(text, spans[places])
        if not len(places):
            lost.append(text.word)
        elif any(ids[place] == tokenizer.unk_token_id for place in places):
            unknown.append(text.word)
        own.append(places)
    for words, what in ((lost, "no token"), (unknown, "the unknown token")):
        if words:
            named = ", ".join(repr(word) for word in dict.fromkeys(words))
            raise EmbeddingError(f"{named}: the tokenizer makes {what} of it; leave it out")
    return encoded, own


def _refuse_shared(text: Text, spans: NDArray[np.int64]) -> None:
    for start, stop in spans:
        beside = text.filled[start : max(start, text.start)] + text.filled[text.stop : stop]
        if beside.strip():
            raise EmbeddingError(
                f"in {text.filled!r} the token {text.filled[start:stop]!r} is more than the word "
                f"{text.word!r}; put spaces around the {{}} of the template"
            )


def _needed(module: str, extra: str) -> Any:
    """Import a module of an extra; say how to install it where it is absent."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ArgumentError(
            f"this needs {module}, which cannot be imported: pip install 'bayesbias[{extra}]'"
        ) from error


def _fetched(load: Callable[[str], Any], name: str | Path) -> Any:
    """Load by name or folder, and say what went wrong in one line."""
    try:
        return load(str(name))
    except (OSError, ValueError) as error:
        raise EmbeddingError(
            f"{name}: cannot be loaded; check the name or path, "
            f"and the network unless it is a folder"
        ) from error


@contextmanager
def _evaluated(model: Any) -> Iterator[None]:
    """Switch dropout off and gradients too; leave the model as it was found."""
    torch = _needed("torch", "transformers")
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        for module, training in modes:
            module.training = training
