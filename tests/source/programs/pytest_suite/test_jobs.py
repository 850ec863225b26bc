from concurrent.futures import ProcessPoolExecutor

import pytest


@pytest.fixture
def pool():
    with ProcessPoolExecutor(2) as executor:
        yield executor


@pytest.fixture(params=[1, 2])
def factor(request):
    return request.param


def test_scale(pool, factor):
    def scale(x):  # object
        return x * factor

    assert list(pool.map(scale, [1, 2, 3])) == [factor, 2 * factor, 3 * factor]
