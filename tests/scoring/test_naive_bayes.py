"""Naive Bayes over bags of places: it tells classes apart by their words, and by nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from lycosa.scoring.naive_bayes import Bags, NaiveBayes


def bags(*places: list[int]) -> Bags:
    return Bags([np.array(each, np.int32) for each in places])


def test_a_bag_is_of_the_class_whose_words_it_has() -> None:
    bayes = NaiveBayes(bags([0, 1], [0, 2], [3, 4]), np.array([0, 0, 1]), 2, 8)
    assert bayes.posteriors(bags([0], [4], [1, 2, 3])).argmax(axis=1).tolist() == [0, 1, 0]


def test_words_that_nobody_has_seen_speak_for_no_class_however_many_samples_it_has() -> None:
    bayes = NaiveBayes(bags(*[[0, 1]] * 50, [3]), np.array([0] * 50 + [1]), 2, 8)
    assert bayes.posteriors(bags([6, 7], []))[:, 0] == pytest.approx([0.5, 0.5])


def test_a_class_without_samples_is_never_likely() -> None:
    bayes = NaiveBayes(bags([0], [1]), np.array([0, 2]), 3, 8)
    assert bayes.posteriors(bags([0], [1], [5]))[:, 1].tolist() == [0, 0, 0]


def test_weights_count() -> None:
    samples = Bags([np.array([0, 1], np.int32)] * 2, [np.array(each, np.float32) for each in ([9, 1], [1, 9])])
    bayes = NaiveBayes(samples, np.array([0, 1]), 2, 2)
    heavy = Bags([np.array([0, 1], np.int32)] * 2, [np.array(each, np.float32) for each in ([3, 1], [1, 3])])
    assert bayes.posteriors(heavy).argmax(axis=1).tolist() == [0, 1]


def test_no_bags_have_no_classes() -> None:
    bayes = NaiveBayes(bags([0], [1]), np.array([0, 1]), 2, 4)
    assert bayes.posteriors(bags()).shape == (0, 2)


def test_samples_without_any_words_teach_nothing() -> None:
    bayes = NaiveBayes(bags([], []), np.array([0, 1]), 2, 4)
    assert bayes.posteriors(bags([0], []))[:, 0] == pytest.approx([0.5, 0.5])
