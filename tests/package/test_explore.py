"""The figure with two faces: what it stores, what it refuses, what it does in a live kernel."""

import json
import re
from xml.etree.ElementTree import fromstring, tostring

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcore.explore import Figure, Menu, Slider, State, check_page, page, source, table, tag
from ragcore.explore.html import inner_html, write
from ragcore.explore.svgdiff import _NUMBER, differences, relative_path, svg_tree
from ragcore.explore.theme import QUESTION, axes, style


def lines(a=1, b=0, limits=(0, 10)):
    figure, ax = axes()
    ax.plot(np.arange(11), a * np.arange(11) / 10 + b, color=QUESTION)
    ax.set(xlim=(0, 10), ylim=limits, xlabel="words", ylabel="score")
    return figure


def state(a, b):
    if b > a + 3:
        raise ValueError(f"b = {b} is too large for a = {a}")
    return State(f"The line ends at {a + b}.", lines(a, b), table(["n", "value"], [["end", f"{a + b}"]]))


def example(**changes) -> Figure:
    controls = [Slider("a", [1, 2, 3], default=2), Slider("b", range(6))]
    return Figure(**{"name": "line", "draw": state, "controls": controls, "caption": "Move it.", **changes})


def data(html: str) -> dict:
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', html, re.S)[1])


# ------------------------------------------------------------------ one drawing

points = st.lists(st.tuples(st.floats(-500, 500), st.floats(-500, 500)), min_size=1, max_size=30)


@given(points)
def test_a_relative_path_never_strays_more_than_a_twentieth_of_a_point(line):
    d = "M" + " L".join(f" {x:f} {y:f}" for x, y in line)
    steps = [
        float(number) for number in _NUMBER.findall(relative_path(d).replace(" .", " 0.").replace("-.", "-0."))
    ]
    places = np.cumsum(np.array(steps).reshape(-1, 2), axis=0)
    assert np.abs(places - np.array(line)).max() <= 0.05 + 1e-6


def test_ink_follows_the_page_and_colours_are_named_by_their_meaning():
    with style():
        svg = tostring(svg_tree(lines()), encoding="unicode")
    assert "stroke: var(--explore-question)" in svg
    assert "currentColor" in svg
    assert not re.search(r"#[0-9a-f]{6}", svg)
    assert all(word not in svg for word in ("<style", "metadata", "DejaVu", "matplotlib"))


# ------------------------------------------------------------------ many drawings


def test_differences_give_back_every_frame():
    frames = [example().view(**arguments) for arguments in example().grid[:4]]
    changes = differences(frames, str)
    assert changes
    for i, frame in enumerate(frames):
        tree = fromstring(tostring(frames[0]))
        nodes = list(tree.iter())
        for change in changes:
            value, node = change.values[change.frames[i]], nodes[change.node]
            if change.template:
                tenths = iter(np.cumsum([int(step) for step in re.findall(r"-?\d+", value)]))
                value = re.sub("~", lambda _, t=tenths: _tenths(next(t)), change.template)
            if change.attribute == "#text":
                node.text = value
            else:
                node.set(change.attribute, value)
        assert tostring(tree) == tostring(frame)


def _tenths(n: int) -> str:
    text = f"{abs(n) / 10:g}"
    return ("-" if n < 0 else " ") + (text.removeprefix("0") if text != "0" else text)


def test_frames_that_are_equal_are_stored_once():
    same = Figure("same", lambda a, b: state(a, 0), example().controls)
    for _, _, pattern, values, *_ in data(same.html)["changes"]:
        assert len(values) == 3  # one for every a, whatever b is
        assert max(data(same.html)["maps"][pattern]) == 2


def test_changes_that_follow_one_pattern_share_it():
    twice = Figure(
        "twice", lambda n: State(f"{n}", body=table(["n", "square"], [[f"{n}", f"{n * n}"]])), [Slider("n", [1, 2])]
    )
    assert len(data(twice.html)["changes"]) == 3
    assert data(twice.html)["maps"] == [[0, 1]]


def test_axes_that_move_between_frames_are_refused_with_the_values_that_move_them():
    moving = example(draw=lambda a, b: State("x", lines(a, b, limits=(0, 2 if a < 3 else 1000))))
    with pytest.raises(ValueError, match=r"'a': 3.*fix the axes"):
        _ = moving.html


def test_a_body_whose_shape_changes_is_stored_whole():
    growing = Figure(
        "rows", lambda n: State("x", body=table(["n"], [[f"{i} < 9"] for i in range(n)])), [Slider("n", [1, 3])]
    )
    (change,) = [c for c in data(growing.html)["changes"] if c[1] == "#html"]
    assert change[3][1] == '<tr><th scope="row">0 &lt; 9</th></tr><tr><th scope="row">1 &lt; 9</th></tr><tr><th scope="row">2 &lt; 9</th></tr>'  # fmt: skip  # noqa: E501


# ------------------------------------------------------------------ the face on the page


def test_equal_figures_give_equal_bytes():
    assert example().html == example().html


def test_the_default_state_shows_without_scripts_and_the_controls_wait_for_them():
    html = example().html
    assert "The line ends at 2." in html
    assert re.search(r'<form class="explore-controls" hidden="hidden"', html)
    assert 'role="img" aria-labelledby="line-sentence"' in html
    assert 'id="line-sentence" aria-live="polite"' in html


def test_an_impossible_combination_shows_its_error_as_the_sentence():
    texts = [values for _, attribute, _, values, *_ in data(example().html)["changes"] if attribute == "#text"]
    assert any("b = 5 is too large for a = 1" in values for values in texts)


def test_a_default_that_is_impossible_is_an_error():
    with pytest.raises(ValueError, match="too large"):
        _ = example(controls=[Slider("a", [1, 2]), Slider("b", [0, 5], default=5)]).html


def test_a_sentence_cannot_end_the_script_or_become_markup():
    evil = Figure("evil", lambda n: State(f"</script><b>{n}</b>"), [Slider("n", [1, 2])])
    assert evil.html.count("</script>") == 1
    assert "<b>" not in evil.html.split("<script")[0]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Slider("a", []), "no values"),
        (lambda: Slider("a", [1, 2], default=3), "default 3 .* not on its grid"),
        (lambda: Slider("a", [1, 1]), "twice"),
        (lambda: Slider("a", [1, 2], labels=["one"]), "2 values and 1 labels"),
        (lambda: example(name="A line"), "'A line'"),
        (lambda: example(controls=[Slider("a", [1]), Slider("a", [2])]), "two controls of one name"),
    ],
)
def test_a_figure_that_makes_no_sense_is_refused_when_it_is_made(build, message):
    with pytest.raises(ValueError, match=message):
        build()


def test_too_many_states_are_refused_before_they_are_drawn():
    drawn = []

    def draw(n):
        drawn.append(n)
        return State("x", lines())

    with pytest.raises(ValueError, match=r"201 states .* at most 200"):
        _ = Figure("many", draw, [Slider("n", range(201))]).html
    assert len(drawn) == 1
    text = Figure("text", lambda n: State(f"{n}"), [Slider("n", range(2001))])
    with pytest.raises(ValueError, match=r"2001 states .* at most 2000"):
        _ = text.html


def test_a_figure_over_its_weight_is_refused_by_name(monkeypatch):
    monkeypatch.setattr(page, "MAX_FIGURE_BYTES", 1000)
    with pytest.raises(ValueError, match=r"'line' weighs .* at most 1,000"):
        _ = example().html


def test_a_page_over_its_weight_or_with_two_figures_of_one_name_is_refused(monkeypatch):
    other = example(name="other").html
    check_page(example().html + other)
    with pytest.raises(ValueError, match=r"two things .* called line"):
        check_page(example().html * 2)
    monkeypatch.setattr(page, "MAX_PAGE_STATES", 35)
    with pytest.raises(ValueError, match=r"36 states, at most 35; the heaviest is '(line|other)' with 18"):
        check_page(example().html + other)


def test_a_two_slider_line_figure_of_121_states_weighs_at_most_25_kB_gzipped():
    import gzip

    x = np.linspace(0, 10, 100)

    def draw(a, b):
        figure, ax = axes()
        ax.plot(x, b * np.sin(x * a / 4))
        ax.plot(x, b * np.cos(x * a / 4))
        ax.set(xlim=(0, 10), ylim=(-11, 11))
        return State(f"Two waves of height {b}.", figure)

    html = Figure("waves", draw, [Slider("a", range(11)), Slider("b", range(11))]).html
    assert len(gzip.compress(html.encode())) <= 25_000


def test_a_text_before_an_element_changes_with_the_state():
    figure = Figure(
        "mixed", lambda n: State("same", body=tag("p", f"rank {n} ", tag("b", "x"))), [Slider("n", [1, 2])]
    )
    (change,) = data(figure.html)["changes"]
    assert change[1:4] == ["#html", 0, ["rank 1 <b>x</b>", "rank 2 <b>x</b>"]]


def test_a_comment_in_a_sentence_does_not_swallow_the_page():
    figure = Figure("comment", lambda n: State(f"<!-- <script> {n}"), [Slider("n", [1, 2])])
    assert "<!--" not in figure.html
    assert data(figure.html)["changes"][0][3] == ["<!-- <script> 1", "<!-- <script> 2"]


def test_ids_in_the_readers_text_are_left_alone_and_those_of_drawings_are_the_figures_own():
    figure = Figure("own", lambda n: State(f'<source id="{n}"> and url(#{n})', lines(n)), [Slider("n", [1, 2])])
    assert '&lt;source id="1"&gt; and url(#1)' in figure.html
    assert re.findall(r'<path[^>]* id="([^"]+)"', figure.html)[0] == "own.svg-0"
    assert set(re.findall(r'href="#([^"]+)"', figure.html)) <= set(re.findall(r'id="([^"]+)"', figure.html))


def test_hatches_keep_their_patterns_and_images_their_size():
    with style():
        figure, ax = axes()
        ax.bar([1, 2], [2, 4], hatch="//", color=QUESTION)
        ax.imshow([[0.1, 0.2]], interpolation="none", extent=(0, 1, 0, 1), aspect="auto", cmap="gray")
        svg = tostring(svg_tree(figure, "f"), encoding="unicode")
    patterns = set(re.findall(r"fill: url\(#([^)]+)\)", svg))
    assert patterns
    assert patterns <= set(re.findall(r' id="([^"]+)"', svg))
    assert re.search(r"matrix\(\d+\.\d{2,} ", svg)  # a factor, not a place: it keeps its digits


def test_a_colour_that_cannot_follow_the_theme_is_refused():
    with style():
        figure, ax = axes()
        ax.plot([0, 1], color="#123456")
        with pytest.raises(ValueError, match="#123456 is none of the theme's"):
            svg_tree(figure)


def test_the_users_own_settings_of_matplotlib_do_not_reach_the_page():
    import matplotlib

    before = Figure("lines", lambda n: State("x", lines(n)), [Slider("n", [1, 2])]).html
    with matplotlib.rc_context({"lines.linestyle": ":", "axes.grid": True, "font.size": 30}):
        assert Figure("lines", lambda n: State("x", lines(n)), [Slider("n", [1, 2])]).html == before


def test_an_error_in_the_drawing_is_not_taken_for_an_impossible_combination():
    def draw(n):
        figure, ax = axes()
        ax.set_title("$\\frac{$" if n == 2 else "fine")
        return State("x", figure)

    with pytest.raises(ValueError, match="frac"):
        _ = Figure("broken", draw, [Slider("n", [1, 2])]).html


@pytest.mark.parametrize("build", [lambda: tag("p", 3), lambda: Slider("a", [1], labels=[1]),
                                   lambda: Figure("f", lambda: "text").html])  # fmt: skip
def test_what_is_no_text_and_no_state_is_refused_by_type(build):
    with pytest.raises(TypeError):
        build()


def test_a_ragged_table_is_refused():
    with pytest.raises(ValueError, match="2 columns"):
        table(["a", "b"], [["1", "2"], ["3"]])


# ------------------------------------------------------------------ the face in a live kernel


def test_in_a_live_kernel_a_move_draws_anew_and_an_impossible_one_says_why(monkeypatch):
    monkeypatch.delenv("RAGCORE_FIGURES", raising=False)
    figure = example()
    a, b, view, caption = figure.widget().children
    assert "The line ends at 2." in view.value
    a.value = 3
    assert "The line ends at 3." in view.value
    a.value, b.value = 1, 5
    assert "b = 5 is too large for a = 1" in view.value
    assert "Move it." in caption.value
    assert "application/vnd.jupyter.widget-view+json" in figure._repr_mimebundle_()


def test_for_a_page_the_figure_is_html_and_says_in_text_what_it_is(monkeypatch):
    monkeypatch.setenv("RAGCORE_FIGURES", "page")
    bundle = example()._repr_mimebundle_()
    assert bundle == {"text/html": example().html, "text/plain": "Figure line: a (3 values), b (6 values)"}


def test_a_menu_becomes_a_dropdown_with_its_labels():
    figure = Figure("menu", lambda q: State(q), [Menu("q", {"q1": "What is it?", "q2": "Why?"})])
    assert '<option value="0" selected="selected">What is it?</option>' in figure.html
    assert figure.widget().children[0].options == (("What is it?", "q1"), ("Why?", "q2"))


# ------------------------------------------------------------------ small pieces


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs"])))
def test_text_is_escaped_always(text):
    from html import unescape

    node = tag("p", text, tag("b", text), text)
    assert unescape(re.sub(r"</?[pb]>", "", write(node))) == text * 3
    assert unescape(inner_html(tag("p", text))) == text


def test_source_shows_a_function_as_it_stands_in_the_package():
    from ragcore.bm25 import idf

    shown = source(idf)._repr_mimebundle_()
    assert shown["text/markdown"].startswith("```python\ndef idf(")
    assert "np.log(" in shown["text/plain"]
