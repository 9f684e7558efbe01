"""What a prompt costs, in three currencies: memory, seconds, money.

    memory     M(n) = 2 · b · H_kv · d · Σ_layers min(n, w)            the key-value cache, in bytes
    seconds    F(n) = 2 · P · n + 4 · H · d · Σ_layers A(n)            operations to read the prompt
               A(n) = 1 + 2 + … + n, but no term above w               pairs (token, token that it sees)
               first token after  max(F / φ, b · P / β)                each later one after  (b · P + M) / β
    money      (n − c) · p_in + c · p_cached + m · p_out               per million tokens, from a price list

    n      tokens of the prompt       m   of the answer       c   of the prompt's beginning, found in a cache
    P      parameters of the model    H, H_kv   attention heads, and those that have keys and values of their own
    d      numbers in a head          w   tokens that a layer sees: all of them, or its sliding window
    b      bytes a number: 2 at 16 bits, 1 at 8
    φ, β   operations and bytes a second that a device really delivers

M: Kwon et al. 2023 (PagedAttention). F: two operations a parameter and token, and four a number and pair for the
attention; without sliding windows that is 2Pn + 2·layers·H·d·n², the estimate of Kaplan et al. 2020. The second
term grows faster: for Llama 3 8B both would be equal at 61,000 tokens. While it answers, a model waits for memory,
not for arithmetic (Pope et al. 2022): all weights and the cache are read for every token.

This is arithmetic on one request alone, as if the device had room for it. It knows nothing of queues, of several
requests in one batch, of a prompt's beginning that is kept, or of the network. A layer with a sliding window keeps
only its last w tokens here; engines keep some more (llama.cpp: a batch).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from math import ceil, isfinite
from numbers import Integral
from pathlib import Path

from .corpus import data_folder

# ------------------------------------------------------------------ what is checked


def _whole(name: str, value: int, least: int = 0) -> None:
    if not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")


def _positive(**numbers: float) -> None:
    for name, number in numbers.items():
        if not (isfinite(number) and number > 0):
            raise ValueError(f"{name} must be above 0, not {number}")


# ------------------------------------------------------------------ the model


@dataclass(frozen=True)
class ModelShape:
    """The numbers of a model that its costs depend on.

    window: the longest prompt with its answer. sliding_window: what `sliding_layers` of the layers see; the others
    see everything. Raises ValueError for numbers that no model can have.
    """

    name: str
    parameters: int
    layers: int
    heads: int
    kv_heads: int
    head_size: int
    window: int
    sliding_window: int = 0
    sliding_layers: int = 0
    source: str = ""

    def __post_init__(self) -> None:
        for field in ("parameters", "layers", "heads", "kv_heads", "head_size", "window"):
            _whole(field, getattr(self, field), least=1)
        for field in ("sliding_window", "sliding_layers"):
            _whole(field, getattr(self, field))
        if self.heads % self.kv_heads:
            raise ValueError(f"kv_heads must divide heads: {self.heads} heads cannot share {self.kv_heads}")
        if self.sliding_layers > self.layers or bool(self.sliding_layers) != bool(self.sliding_window):
            raise ValueError(
                f"sliding_layers ({self.sliding_layers}) must be at most layers ({self.layers}), "
                f"and need a sliding_window (it is {self.sliding_window})"
            )

    @property
    def sees(self) -> list[int]:
        """How many tokens each layer sees at most."""
        full = self.layers - self.sliding_layers
        return [self.window] * full + [min(self.sliding_window, self.window)] * self.sliding_layers


def _fits(model: ModelShape, tokens: int) -> None:
    _whole("tokens", tokens)
    if tokens > model.window:
        raise ValueError(f"{model.name} has a window of {model.window} tokens, {tokens} do not fit")


# ------------------------------------------------------------------ memory


def kv_cache_bytes(model: ModelShape, tokens: int, bytes_per_number: float = 2) -> int:
    """Bytes that keys and values of a text take: M(n), rounded up.

    Raises ValueError for tokens over the model's window and for bytes_per_number ≤ 0.

    >>> kv_cache_bytes(load_models()["Llama 2 7B"], 4096) / 2**30   # GiB
    2.0
    >>> kv_cache_bytes(load_models()["Llama 3 8B"], 4096) / 2**30   # four heads share their keys and values
    0.5
    """
    _fits(model, tokens)
    _positive(bytes_per_number=bytes_per_number)
    kept = sum(min(tokens, w) for w in model.sees)
    return ceil(2 * model.kv_heads * model.head_size * kept * bytes_per_number)


# ------------------------------------------------------------------ seconds


@dataclass(frozen=True)
class Device:
    """A device's peak, operations and bytes a second, and the share of both that a program gets out of it."""

    name: str
    peak_flops: float
    peak_bandwidth: float
    utilisation: float

    def __post_init__(self) -> None:
        _positive(peak_flops=self.peak_flops, peak_bandwidth=self.peak_bandwidth, utilisation=self.utilisation)
        if self.utilisation > 1:
            raise ValueError(f"utilisation is a share, at most 1, not {self.utilisation}")

    @property
    def flops(self) -> float:
        return self.peak_flops * self.utilisation

    @property
    def bandwidth(self) -> float:
        return self.peak_bandwidth * self.utilisation


# the peak at 16 bits from NVIDIA's data sheet; the half is our assumption
A100 = Device("NVIDIA A100 80 GB", peak_flops=312e12, peak_bandwidth=2.039e12, utilisation=0.5)


def prefill_flops(model: ModelShape, tokens: int) -> int:
    """Operations to read a prompt: F(n). All parameters count, so it is too much where most are embeddings.

    >>> f"{prefill_flops(load_models()['Llama 3 8B'], 8192):.2e}"
    '1.49e+14'
    """
    _fits(model, tokens)
    pairs = sum(_pairs(tokens, w) for w in model.sees)
    return 2 * model.parameters * tokens + 4 * model.heads * model.head_size * pairs


def _pairs(tokens: int, window: int) -> int:
    """A(n): the first token sees itself, the second two, …, from the window on each as many as the window."""
    near = min(tokens, window)
    return near * (near + 1) // 2 + (tokens - near) * window


def time_to_first_token(model: ModelShape, prompt: int, device: Device, bytes_per_number: float = 2) -> float:
    """Seconds until an answer begins: max(F / φ, b · P / β); a short prompt waits for the weights.

    >>> llama = load_models()["Llama 3 8B"]
    >>> [round(time_to_first_token(llama, n, A100), 2) for n in (16, 1024, 8192)]
    [0.02, 0.11, 0.96]
    """
    _positive(bytes_per_number=bytes_per_number)
    weights = model.parameters * bytes_per_number
    return max(prefill_flops(model, prompt) / device.flops, weights / device.bandwidth)


def seconds_per_token(model: ModelShape, context: int, device: Device, bytes_per_number: float = 2) -> float:
    """Seconds for one more token of the answer, after `context` tokens: (b · P + M) / β.

    >>> round(1 / seconds_per_token(load_models()["Llama 3 8B"], 8192, A100))   # tokens a second
    60
    """
    cache = kv_cache_bytes(model, context, bytes_per_number)
    return (model.parameters * bytes_per_number + cache) / device.bandwidth


def seconds_to_answer(
    model: ModelShape, prompt: int, answer: int, device: Device, bytes_per_number: float = 2
) -> float:
    """Seconds until the last token of an answer: the first, then each of the others after a longer context.

    Raises ValueError if prompt and answer do not fit into the window, or the answer has no token.
    """
    _whole("answer", answer, least=1)
    _fits(model, prompt + answer)
    later = sum(seconds_per_token(model, prompt + i, device, bytes_per_number) for i in range(1, answer))
    return time_to_first_token(model, prompt, device, bytes_per_number) + later


# ------------------------------------------------------------------ money


@dataclass(frozen=True)
class PriceEntry:
    """One line of a price list, in `currency` per million tokens, as it was on `date`. Prices change: look again.

    cached_input: for the beginning of a prompt that the provider still has from an earlier call; None if it sells
    none. up_to: the longest prompt that has this price.
    """

    model: str
    input: float
    output: float
    cached_input: float | None
    up_to: int
    currency: str
    date: date
    source: str

    def __post_init__(self) -> None:
        for field in ("input", "output", "cached_input"):
            amount = getattr(self, field)
            if amount is not None and not (isfinite(amount) and amount >= 0):
                raise ValueError(f"{field} must be a price of at least 0, not {amount}")
        _whole("up_to", self.up_to, least=1)


def price(input_tokens: int, output_tokens: int, entry: PriceEntry, cached_tokens: int = 0) -> float:
    """What a call costs: ((n − c) · p_in + c · p_cached + m · p_out) / 1,000,000, in the entry's currency.

    cached_tokens: c, those of the input that are billed as cached. What is asked of a model without being shown
    (reasoning) is billed as output. Raises ValueError for c > n, for cached tokens where the list has no price, and
    for prompts over `up_to`.

    >>> entry = PriceEntry("example", 2, 10, 0.1, 272_000, "USD", date(2026, 9, 30), "")
    >>> round(price(100_000, 1_000, entry), 4), round(price(100_000, 1_000, entry, cached_tokens=90_000), 4)
    (0.21, 0.039)
    """
    _whole("input_tokens", input_tokens)
    _whole("output_tokens", output_tokens)
    _whole("cached_tokens", cached_tokens)
    if cached_tokens > input_tokens:
        raise ValueError(f"cached_tokens are part of the input: {cached_tokens} of {input_tokens} cannot be")
    if input_tokens > entry.up_to:
        raise ValueError(f"this price of {entry.model} is for prompts of up to {entry.up_to}, not {input_tokens}")
    if cached_tokens and entry.cached_input is None:
        raise ValueError(f"the list has no price for cached input of {entry.model}")
    paid = (input_tokens - cached_tokens) * entry.input + output_tokens * entry.output
    return (paid + cached_tokens * (entry.cached_input or 0)) / 1_000_000


# ------------------------------------------------------------------ the two lists, yours to edit


def load_models(path: str | Path | None = None) -> dict[str, ModelShape]:
    """The models of a CSV file by name; without a path those of data/models.csv, each with its source.

    Raises ValueError, naming file and line, for what is not as it should be.

    >>> load_models()["Gemma 3 270M"].sliding_layers
    15
    """
    columns = ("model", "parameters", "layers", "heads", "kv_heads", "head_size", "window", "sliding_window",
               "sliding_layers", "source")  # fmt: skip
    models: dict[str, ModelShape] = {}
    for where, row in _rows(path or data_folder() / "models.csv", columns):
        try:
            shape = {column: _integer(column, row[column] or "0") for column in columns[1:-1]}
            models[row["model"]] = ModelShape(name=row["model"], source=row["source"], **shape)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    return models


def load_prices(path: str | Path | None = None) -> dict[str, PriceEntry]:
    """The price list of a CSV file by model; without a path data/prices.csv: a few of one day, soon out of date.

    Raises ValueError, naming file and line, for what is not as it should be.
    """
    columns = ("model", "input", "output", "cached_input", "up_to", "currency", "date", "source")
    prices: dict[str, PriceEntry] = {}
    for where, row in _rows(path or data_folder() / "prices.csv", columns):
        try:
            prices[row["model"]] = PriceEntry(
                row["model"],
                _amount("input", row["input"]),
                _amount("output", row["output"]),
                _amount("cached_input", row["cached_input"]) if row["cached_input"] else None,
                _integer("up_to", row["up_to"]),
                row["currency"],
                date.fromisoformat(row["date"]),
                row["source"],
            )
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    return prices


def _rows(path: str | Path, columns: tuple[str, ...]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The rows of a CSV file with exactly these columns, each with its place and a name of its own."""
    path, names = Path(path), set[str]()
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != columns:
            raise ValueError(f"{path.name}: the first line must read {','.join(columns)}, not {reader.fieldnames}")
        for row in reader:
            where = f"{path.name}, line {reader.line_num}"
            if None in row or None in row.values():
                raise ValueError(
                    f"{where}: needs {len(columns)} fields; decimals have a point, a field with a comma quotes"
                )
            if not row["model"] or row["model"] in names:
                raise ValueError(f"{where}: needs a model of its own, not {row['model']!r}")
            names.add(row["model"])
            yield where, row
    if not names:
        raise ValueError(f"{path.name}: has no rows")


def _integer(column: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{column} must be a whole number, not {text!r}") from None


def _amount(column: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{column} must be a number as 0.15, not {text!r}") from None
