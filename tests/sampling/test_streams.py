"""Random streams: constants that change every draw, held against published values and plain integers."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from truegain.sampling.streams import bootstrap_weights, mix, stream_key, stream_keys, streams

WHOLE = 1 << 64


def test_streams_are_those_of_splitmix64() -> None:
    """Guards all constants: replicates of key 0 are the published first outputs of splitmix64 with seed 0."""
    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    zero = np.zeros(1, np.uint64)
    assert [int(streams(zero, r, np.zeros(1, np.int64))[0]) for r in range(3)] == published


def test_a_new_attempt_is_a_step_of_its_own() -> None:
    """Guards key + (replicate + 1) a + attempt b in integers of any size, taken modulo 2^64."""
    keys, attempts = np.array([5, WHOLE - 3], np.uint64), np.array([2, 7])
    inside = [
        (int(k) + 4 * 0x9E3779B97F4A7C15 + int(t) * 0xD1342543DE82EF95) % WHOLE
        for k, t in zip(keys, attempts, strict=True)
    ]
    assert streams(keys, 3, attempts).tolist() == mix(np.array(inside, np.uint64)).tolist()


def test_keys_are_the_first_bytes_of_a_hash() -> None:
    """Guards the name of a stream: seed, source and unit apart from one another, 64 bits of BLAKE2b."""
    name = b"3\x00documents\x00401"
    expected = int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little")
    assert stream_key(3, "documents", "401") == expected
    assert stream_keys(3, "documents", ["402", "401"]).tolist() == [stream_key(3, "documents", "402"), expected]


def test_bootstrap_weights_are_multinomial() -> None:
    """Guards mean 1, variance 1 - 1/n and covariance -1/n of how often units are drawn; rows sum to n."""
    n, many = 4, 40_000
    drawn = bootstrap_weights(n, many, np.random.default_rng(0))
    assert drawn.shape == (many, n)
    assert (drawn.sum(axis=1) == n).all()
    assert drawn.mean(axis=0) == pytest.approx(np.ones(n), abs=0.03)
    assert np.cov(drawn.T) == pytest.approx(np.eye(n) - 1 / n, abs=0.04)
