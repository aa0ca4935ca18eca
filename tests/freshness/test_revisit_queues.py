"""Queues of change classes: what is due comes out, class by class, and the least head is the next time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings as trying
from hypothesis import strategies as st

from lycosa.freshness.change_rates import ChangeClass
from lycosa.freshness.revisit_queues import SPARE_ENTRIES, ClassQueues

pages = st.integers(0, 12).map(str)
puts = st.tuples(st.just("put"), pages, st.sampled_from(list(ChangeClass)), st.integers(0, 50))
drops = st.tuples(st.just("drop"), pages, st.none(), st.none())
takes = st.tuples(st.just("take"), st.none(), st.none(), st.integers(0, 50))


@trying(max_examples=200)
@given(st.lists(st.one_of(puts, drops, takes), max_size=60))
def test_queues_give_what_a_look_at_all_pages_would_give(moves: list[tuple]) -> None:  # type: ignore[type-arg]
    queues = ClassQueues()
    waiting: dict[str, tuple[ChangeClass, float]] = {}
    out: dict[str, ChangeClass] = {}
    for move, page, change_class, at in moves:
        if move == "put":
            queues.put(page, change_class, float(at))
            out.pop(page, None)
            waiting[page] = (change_class, float(at))
        elif move == "drop":
            queues.drop(page)
            waiting.pop(page, None)
            out.pop(page, None)
        else:
            taken = queues.take(float(at))
            due = {page: each for page, (each, due) in waiting.items() if due <= at}
            assert set(taken) == due.keys()
            order = list(ChangeClass)
            assert [order.index(due[page]) for page in taken] == sorted(order.index(due[page]) for page in taken)
            for page in taken:
                out[page] = waiting.pop(page)[0]
        assert queues.next_due() == min((due for _, due in waiting.values()), default=None)
        assert len(queues) == len(waiting) + len(out)
        known = [each for each, _ in waiting.values()] + list(out.values())
        assert queues.pages() == {each.value: known.count(each) for each in ChangeClass if each in known}
        assert sum(queues.due().values()) == len(out)


def test_pages_that_move_often_do_not_fill_the_queue() -> None:
    queues = ClassQueues()
    for number in range(10 * SPARE_ENTRIES):
        queues.put("page", ChangeClass.DAILY, float(number))
    assert len(queues._queues[ChangeClass.DAILY]) <= SPARE_ENTRIES + 3
    assert queues.next_due() == 10 * SPARE_ENTRIES - 1


def test_those_that_change_most_often_come_first() -> None:
    queues = ClassQueues()
    for number, change_class in enumerate(reversed(ChangeClass)):
        queues.put(change_class.value, change_class, float(number))
    queues.put("later", ChangeClass.ALWAYS, 100.0)
    assert queues.take(50.0) == [change_class.value for change_class in ChangeClass]
    assert queues.next_due() == 100.0
