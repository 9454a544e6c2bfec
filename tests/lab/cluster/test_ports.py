import socket
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from lab.cluster.ports import choose_ports, is_free, read_ports, write_ports

NAMES = st.lists(st.text("abcdef", min_size=1, max_size=4), unique=True, max_size=12)


class TestPorts:
    @given(NAMES, st.dictionaries(st.text("abcdef", min_size=1, max_size=4), st.integers(40000, 40100), max_size=5))
    def test_that_were_chosen_before_are_kept(self, names, kept):
        chosen = choose_ports(names, kept)
        assert {name: chosen[name] for name in kept} == kept
        assert set(chosen) == {*names, *kept}

    @given(NAMES)
    def test_are_free_different_and_below_those_of_outgoing_connections(self, names):
        chosen = choose_ports(names, {})
        assert len(set(chosen.values())) == len(names)
        assert all(1024 < port < 32768 for port in chosen.values())

    def test_that_a_server_has_are_not_free(self):
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen()
            assert not is_free(server.getsockname()[1])
        assert is_free(choose_ports(["one"], {})["one"])

    def test_are_read_as_they_were_written(self, tmp_path: Path):
        assert read_ports(tmp_path / "ports.json") == {}
        write_ports(tmp_path / "ports.json", {"one": 1})
        assert read_ports(tmp_path / "ports.json") == {"one": 1}
