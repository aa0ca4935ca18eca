"""Frequent sets of actions by others' libraries: reads transactions (uint16 bits) from a file, prints what it took.

`mine.py FILE LEAST_SUPPORT LIBRARY`; the transactions are lists of numbers before the clock starts, as ours are.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import numpy as np

ROUNDS = 3
Transactions = list[tuple[int, ...]]
Frequent = dict[frozenset[int], float]


def by_fpgrowth(transactions: Transactions, least_support: float) -> Frequent:
    import pandas as pd
    from mlxtend.frequent_patterns import fpgrowth
    from mlxtend.preprocessing import TransactionEncoder

    encoder = TransactionEncoder()
    table = pd.DataFrame(encoder.fit(transactions).transform(transactions), columns=encoder.columns_)
    found = fpgrowth(table, min_support=least_support, use_colnames=True)
    return {frozenset(map(int, each)): float(share) for each, share in zip(found.itemsets, found.support, strict=True)}


def by_apriori(transactions: Transactions, least_support: float) -> Frequent:
    from efficient_apriori import itemsets_from_transactions

    found, number = itemsets_from_transactions(transactions, min_support=least_support)
    return {frozenset(each): times / number for sized in found.values() for each, times in sized.items()}


LIBRARIES: dict[str, Callable[[Transactions, float], Frequent]] = {
    "mlxtend fpgrowth": by_fpgrowth,
    "efficient-apriori": by_apriori,
}


def main() -> None:
    name, least_support, library = sys.argv[1:]
    bits = np.fromfile(name, np.uint16)
    actions = [tuple(place + 1 for place in range(15) if number >> place & 1) for number in range(1 << 15)]
    transactions = [actions[number] for number in bits.tolist()]
    LIBRARIES[library](transactions[:1000], 0.9)
    taken, found = [], Frequent()
    for _ in range(ROUNDS):
        began = time.process_time()
        found = LIBRARIES[library](transactions, float(least_support))
        taken.append(time.process_time() - began)
    told = sorted((sorted(each), round(share * len(transactions))) for each, share in found.items())
    print(json.dumps({"seconds": min(taken), "sets": told}))


if __name__ == "__main__":
    main()
