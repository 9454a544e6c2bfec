from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.kubelet.environment import ConfigError, command_line, environment, expand
from tests.lab.kubelet.pods import Store, container, pod

_NAMES = st.text("ABC_", min_size=1, max_size=3)


class TestExpansion:
    @pytest.mark.parametrize(
        ("text", "expanded"),
        [
            ("$(A) and $(A)", "1 and 1"),
            ("$(UNKNOWN)", "$(UNKNOWN)"),
            ("$$(A)", "$(A)"),
            ("$$$(A)", "$1"),
            ("$A ${A}", "$A ${A}"),
            ("$(A", "$(A"),
            ("$", "$"),
        ],
    )
    def test_is_that_of_kubernetes(self, text: str, expanded: str):
        assert expand(text, {"A": "1"}) == expanded

    @given(st.text(), st.dictionaries(_NAMES, st.text()))
    def test_doubled_dollar_signs_protect_any_text(self, text: str, variables: dict[str, str]):
        assert expand(text.replace("$", "$$"), variables) == text

    @given(st.dictionaries(_NAMES, st.text(), min_size=1))
    def test_values_are_not_expanded_again(self, variables: dict[str, str]):
        name = sorted(variables)[0]
        assert expand(f"$({name})", variables) == variables[name]


class TestEnvironment:
    def environment(self, made: dict[str, Any], **store: dict[str, bytes]) -> dict[str, str]:
        return environment(
            pod(made, metadata={"labels": {"a/b": "x"}}), made, Store(**store), {"cpu": "3500m", "memory": "1Gi"}, {"PATH": "/bin"}
        )

    def test_later_variables_see_earlier_ones_and_override_what_is_there(self):
        made = container(
            envFrom=[{"prefix": "P_", "configMapRef": {"name": "settings"}}, {"secretRef": {"name": "keys"}}],
            env=[{"name": "A", "value": "$(P_RATE)$(LATER)"}, {"name": "LATER", "value": "$(A)!"}, {"name": "KEY", "value": "mine"}],
        )
        found = self.environment(made, ConfigMap_settings={"RATE": b"0.1"}, Secret_keys={"KEY": b"theirs"})
        assert found == {"PATH": "/bin", "P_RATE": "0.1", "KEY": "mine", "A": "0.1$(LATER)", "LATER": "0.1$(LATER)!"}

    @pytest.mark.parametrize(
        ("path", "value"),
        [
            ("metadata.name", "one"),
            ("metadata.namespace", "team-a"),
            ("metadata.uid", "1234"),
            ("metadata.labels['a/b']", "x"),
            ("metadata.annotations['absent']", ""),
            ("spec.nodeName", "node-a"),
            ("spec.serviceAccountName", "training"),
            ("status.podIP", "127.0.0.1"),
        ],
    )
    def test_fields_of_the_pod_are_known(self, path: str, value: str):
        assert self.environment(container(env=[{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": path}}}]))["A"] == value

    @pytest.mark.parametrize(
        ("reference", "value"),
        [
            ({"resource": "limits.cpu"}, "2"),
            ({"resource": "limits.cpu", "divisor": "1m"}, "1500"),
            ({"resource": "requests.cpu", "divisor": "0"}, "1"),
            ({"resource": "limits.memory", "divisor": "1Mi"}, "1024"),
            ({"resource": "requests.memory"}, "0"),
        ],
    )
    def test_resources_are_rounded_up_and_a_missing_limit_is_the_nodes(self, reference: dict[str, str], value: str):
        resources = {"limits": {"cpu": "1500m"}, "requests": {"cpu": "100m"}}
        assert (
            self.environment(container(resources=resources, env=[{"name": "A", "valueFrom": {"resourceFieldRef": reference}}]))["A"]
            == value
        )

    @pytest.mark.parametrize(
        ("reference", "message"),
        [
            ({"configMapKeyRef": {"name": "gone", "key": "a"}}, 'configmap "gone" not found'),
            ({"configMapKeyRef": {"name": "here", "key": "b"}}, "couldn't find key b in ConfigMap team-a/here"),
            ({"fieldRef": {"fieldPath": "spec.priority"}}, "unsupported fieldPath: spec.priority"),
            ({"fileKeyRef": {}}, "unsupported valueFrom: fileKeyRef"),
        ],
    )
    def test_what_is_missing_is_named(self, reference: dict[str, Any], message: str):
        with pytest.raises(ConfigError, match=message):
            self.environment(container(env=[{"name": "A", "valueFrom": reference}]), ConfigMap_here={"a": b"1"})

    def test_what_is_optional_may_be_missing(self):
        reference = {"secretKeyRef": {"name": "gone", "key": "a", "optional": True}}
        made = container(env=[{"name": "A", "valueFrom": reference}], envFrom=[{"configMapRef": {"name": "gone", "optional": True}}])
        assert self.environment(made) == {"PATH": "/bin"}


class TestTheCommandLine:
    def test_is_command_and_arguments_expanded(self):
        made = container(command=["run", "$(A)"], args=["$(B)"])
        assert command_line(made, {"A": "1", "B": "2"}) == ("run", "1", "2")

    def test_is_not_guessed_from_an_image(self):
        with pytest.raises(ConfigError, match="container main has no `command`"):
            command_line({"name": "main", "args": ["x"]}, {})

    def test_of_a_sidecar_is_refused(self):
        with pytest.raises(ConfigError, match="no sidecars"):
            command_line(container(restartPolicy="Always"), {})
