"""What the pictures of the chapter «Memory» show is what the memory holds."""

import json
from collections import Counter
from itertools import product

import pytest

from ragcore.corpus import data_folder
from ragcore.explore.html import write
from ragcore.explore.theme import style
from ragcore.figures.remembering import (
    CONVERSATIONS,
    NAMES,
    Asked,
    Probe,
    ask_all,
    fact_now,
    facts_of,
    facts_sentence,
    facts_table,
    fates,
    fates_sentence,
    load_conversation,
    measure,
    place_of,
    play,
    shares,
    status,
    window_sentence,
    window_view,
)
from ragcore.memory import Memory, add, window

TRIP = load_conversation("trip")


@pytest.fixture(scope="module")
def plays():
    """As the chapter's figure has them: every policy, three budgets."""
    memories = {key: Memory(TRIP.system, key[1], key[0]) for key in product(NAMES, (250, 400, 600))}
    return {key: play(TRIP, memory) for key, memory in memories.items()}


@pytest.fixture(scope="module")
def asked():
    return {policy: measure(policy, 400, 0.2) for policy in NAMES}


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_conversation_has_twenty_turns_and_six_facts_each_asked_in_its_words_and_in_others(name):
    conversation = load_conversation(name)
    assert len(conversation.turns) == 20
    kinds = Counter((probe.answer, probe.kind) for probe in conversation.probes)
    assert set(kinds.values()) == {1}
    assert len(facts_of(conversation)) == 6 == len(kinds) / 2
    for probe in conversation.probes:
        early = [text for turn in conversation.turns[: probe.turn] for _, text in turn]
        assert sum(probe.stale in text for text in early) == 1 or not probe.stale
    assert sum(bool(probe.stale) for probe in conversation.probes) == 2


def test_a_conversation_that_is_none_or_whose_answer_moved_is_refused(monkeypatch, tmp_path):
    with pytest.raises(ValueError, match="trip, lesson, library, not 'x'"):
        load_conversation("x")
    (tmp_path / "conversations").mkdir()
    data = json.loads((data_folder() / "conversations/trip.json").read_text("utf-8"))
    data["probes"][0]["turn"] = 3
    (tmp_path / "conversations/trip.json").write_text(json.dumps(data), "utf-8")
    monkeypatch.setattr("ragcore.figures.remembering.data_folder", lambda: tmp_path)
    with pytest.raises(ValueError, match=r"walnuts.*once, in turn 3"):
        load_conversation("trip")


def test_in_every_state_each_turn_is_in_one_place_and_the_account_adds_up(plays):
    for (policy, budget), (windows, memory) in plays.items():
        assert len(windows) == 20
        gone: list[str] = []
        for turn, seen in enumerate(windows, 1):
            assert sum(shares(seen).values()) == budget
            assert min(shares(seen).values()) >= 0
            gone += [each.exchange.name for each in seen.evicted]
            for number in range(1, turn):
                kept = status(seen, turn, number) == "window"
                assert kept != (f"turn {number}" in gone)
                assert (f'title="turn {number}"' in seen.prompt.text) == (
                    kept or status(seen, turn, number) == "recalled"
                )
            assert [status(seen, turn, number) for number in range(turn, 21)] == ["now"] + ["later"] * (20 - turn)
            sentence = window_sentence(TRIP, windows, turn)
            assert sentence.startswith(f"Turn {turn}: {seen.used} of {budget} tokens.")
            there = [
                fact for fact, told in facts_of(TRIP).items() if told < turn and place_of(seen, fact) != "lost"
            ]
            assert sentence.endswith(f"{len(there)} stand in the prompt.")
            assert all(fact in " ".join(seen.prompt.text.split()) for fact in there)
        assert (memory.summary != "") == (policy == "summary")


def test_the_view_has_a_box_a_turn_and_a_row_a_fact(plays):
    windows, _ = plays["summary", 600]
    text = write(window_view(TRIP, windows, 12))
    assert text.count("min-width: 2em") == 20
    assert text.count("<tr>") == 7
    assert "not told yet" in text
    assert fact_now(windows[13], 14, "Petr, uses a wheelchair", 14) == "just told"
    assert fact_now(windows[13], 14, "9,400 crowns", 3) in ("window", "summary", "recalled", "archive only")


def test_a_turn_that_called_tools_is_read_through_a_window_after_every_result():
    library = load_conversation("library")
    windows, memory = play(library, Memory(library.system, 120, recall_share=0), turns=3)
    assert len(windows) == 3
    assert sum(len(seen.evicted) for seen in windows) == len(memory.archive) > 0
    assert memory.exchanges[-1].name == "turn 3"


def test_the_place_of_an_answer_prefers_what_was_said_to_what_was_recalled():
    memory = Memory("Help.", 400)
    for question in ("The code is 48213 today.", "Tell me of tea."):
        memory = add(add(memory, "user", question), "assistant", "Well.")
    seen = window(add(memory, "user", "Which code?"))
    assert place_of(seen, "code is 48213") == "window"
    assert place_of(seen, "code is 7") == "lost"
    archived = Memory("Help.", 400, archive=memory.exchanges, turn=2)
    assert place_of(window(add(archived, "user", "Which code?")), "code is 48213") == "recalled"


def test_the_bars_show_what_was_measured(asked):
    with style():
        ax = fates(asked).axes[0]
        widths = [patch.get_width() for patch in ax.patches][: 4 * 2 * 4]
    expected = [
        sum(one.place == place and one.probe.kind == kind for one in each)
        for each in asked.values()
        for kind in ("direct", "paraphrase")
        for place in ("window", "summary", "recalled", "lost")
    ]
    assert widths == expected
    assert sum(widths) == 4 * 36
    first = asked["oldest"]
    direct, other = (
        sum(one.place != "lost" for one in first if one.probe.kind == k) for k in ("direct", "paraphrase")
    )
    assert f"of 18 each: oldest first {direct} and {other};" in fates_sentence(asked)


def test_the_table_has_two_letters_for_every_fact_and_policy(asked):
    groups = facts_table(asked, "lesson").findall("tbody")
    turns = [int(group[0][0].text.split(":")[0]) for group in groups]
    assert turns == sorted(facts_of(load_conversation("lesson")).values())
    letters = Counter(one for group in groups for cell in group[1] for one in cell.text.split())
    places = Counter(one.place for each in asked.values() for one in each if one.conversation == "lesson")
    letter = {"window": "W", "summary": "S", "recalled": "R", "lost": "–"}
    assert letters == Counter({letter[place]: count for place, count in places.items()})


def test_the_sentence_of_the_table_names_the_turns_that_nobody_finds():
    probe = Probe("?", "direct", "a", 3)
    other = Probe("?", "direct", "b", 5)
    each = [Asked("trip", probe, "lost", "lost"), Asked("trip", other, "window", "lost")]
    assert facts_sentence({"oldest": each}, "trip") == "Turns whose fact neither question finds: oldest first: 3."


def test_probes_do_not_change_each_others_memory():
    _, memory = play(TRIP, Memory(TRIP.system, 300, "least_relevant"))
    twice = ask_all(TRIP, memory), ask_all(TRIP, memory)
    assert twice[0] == twice[1]
    assert [one.probe for one in twice[0]] == list(TRIP.probes)
