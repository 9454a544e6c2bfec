"""Amounts, read back as Kubernetes reads them."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.blueprint.quantity import mebibytes, thousandths, whole

_FACTORS = {
    "m": Decimal("0.001"),
    "": Decimal(1),
    **{suffix: Decimal(1000) ** (place + 1) for place, suffix in enumerate("kMGTPE")},
    **{f"{suffix}i": Decimal(1024) ** (place + 1) for place, suffix in enumerate("KMGTPE")},
}


def value(quantity: str) -> Decimal:
    digits = quantity.rstrip("mkKMGTPEi")
    return Decimal(digits) * _FACTORS[quantity.removeprefix(digits)]


amounts = st.integers(0, 10**9) | st.sampled_from([1000, 1024, 1024**2, 10**6, 1000 * 1024])


class TestEveryAmount:
    @given(amounts)
    def test_keeps_its_value(self, amount: int) -> None:
        assert value(thousandths(amount)) == Decimal(amount) / 1000
        assert value(whole(amount)) == amount
        assert value(mebibytes(amount)) == amount * 1024**2

    @given(amounts.filter(bool))
    def test_is_as_short_as_the_server_writes_it(self, amount: int) -> None:
        for quantity, step in ((thousandths(amount), 1000), (mebibytes(amount), 1024)):
            assert int(quantity.rstrip("mkKMGTPEi")) % step


def test_known_amounts_read_as_people_write_them() -> None:
    assert [thousandths(1500), thousandths(96000), thousandths(1_000_000), whole(8), whole(3000)] == ["1500m", "96", "1k", "8", "3k"]
    assert [mebibytes(512), mebibytes(2048), mebibytes(655360), mebibytes(0)] == ["512Mi", "2Gi", "640Gi", "0"]
