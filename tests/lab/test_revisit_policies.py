"""Freshness: the crawl's own plan comes close to the best there can be, and the others do not."""

from __future__ import annotations

import numpy as np
import pytest

from lycosa.lab.revisit_policies import ChangingWeb, compare, optimum, simulate, uniform


def test_the_plan_comes_close_to_the_optimum_and_beats_the_others() -> None:
    found = compare(ChangingWeb.drawn(pages=1500, days=60, looks_per_day=300, seed=5))
    reached = {each.name: each.of_optimum for each in found.policies}
    assert reached["lycosa"] >= 0.95
    assert reached["lycosa"] > 1.03 * max(reached["uniform"], reached["proportional"], reached["nutch"])
    assert all(each.of_optimum <= 1.03 for each in found.policies)
    assert "lycosa" in "\n".join(found.lines())


def test_with_one_rate_and_one_weight_looking_uniformly_is_the_optimum() -> None:
    web = ChangingWeb(np.full(500, 1 / 86400), np.full(500, 1 / 500), 500 / 86400, 40 * 86400.0, 1)
    curve = simulate(web, uniform(web))
    assert sum(curve[20:]) / 20 == pytest.approx(optimum(web), rel=0.03)
