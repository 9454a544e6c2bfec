from lab.cluster.access import groups_of
from lab.cluster.parts import Part, levels
from lab.cluster.registry import CLUSTER


def part(name: str, *after: str) -> Part:
    return Part(name, lambda _: (name,), after=after)


class TestParts:
    def test_end_before_what_they_need(self):
        found = levels([part("a"), part("b", "a"), part("c", "a"), part("d", "c")])
        assert found == {"a": 1, "b": 2, "c": 2, "d": 3}

    def test_stand_behind_what_they_need_and_share_neither_names_nor_ports(self):
        seen: set[str] = set()
        for one in CLUSTER:
            assert set(one.after) <= seen
            assert one.name not in seen
            seen.add(one.name)
        ports = [port for one in CLUSTER for port in one.ports]
        assert len(ports) == len(set(ports))


class TestGroups:
    def test_follow_from_the_names_of_service_accounts_and_nodes(self):
        assert groups_of("system:serviceaccount:team-a:training") == ("system:serviceaccounts", "system:serviceaccounts:team-a")
        assert groups_of("system:node:one") == ("system:nodes",)
        assert groups_of("ann@acme.example") == ()
