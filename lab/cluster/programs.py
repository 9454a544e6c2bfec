"""The programs of the lab's control plane, and how each is built (facts of `docs/lab.md`).

Every family has a tool module of its own under `lab/tools`, because their dependency sets clash.
"""

from typing import Final

from lab.build import Tool, required_version
from lab.paths import TOOLS

_KUBERNETES: Final = "k8s.io/kubernetes"
_SMALL: Final = "-s -w"  # no symbol tables: a third less to write and to link


def _tool(name: str, module: str, package: str, duration: str, *, stamps: str = "", tags: str = "") -> Tool:
    flags = ("-trimpath", *(("-tags", tags) if tags else ()), "-ldflags", f"{_SMALL} {stamps}".strip())
    return Tool(name, TOOLS / module, package, flags, duration)


def _kubernetes(name: str, duration: str) -> Tool:
    tool = _tool(name, "kubernetes", f"{_KUBERNETES}/cmd/{name}", duration)
    version = required_version(tool, _KUBERNETES)
    major, minor = version.removeprefix("v").split(".")[:2]
    package = "k8s.io/component-base/version"
    # Without the stamp the server says v0.0.0, and clients and `--emulated-version` take it for older than everything.
    stamps = f"-X {package}.gitVersion={version} -X {package}.gitMajor={major} -X {package}.gitMinor={minor}"
    return _tool(name, "kubernetes", tool.package, duration, stamps=stamps)


def kubernetes_provider() -> Tool:
    """Pulumi's Kubernetes provider; its version is the one of the installed `pulumi_kubernetes`, which the engine asks for.

    Raises:
        LabError: `go.mod` does not name the provider.
    """
    from importlib.metadata import version  # noqa: PLC0415 - only who builds it needs the package

    package = "github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
    return _tool(
        "pulumi-resource-kubernetes",
        "kubernetes-provider",
        ".",
        "about 11 minutes on two cores",
        stamps=f"-X {package}.Version={version('pulumi-kubernetes')}",
        tags="osusergo,grpcnotrace",
    )


def kubectl() -> Tool:
    """The command line of Kubernetes, which the buffer's CronJobs and people use.

    Raises:
        LabError: `go.mod` does not name it.
    """
    return _kubernetes("kubectl", "half a minute on two cores")


def control_plane() -> dict[str, Tool]:
    """Every program of the control plane by name, in the order in which they are started.

    Raises:
        LabError: A `go.mod` does not name its program.
    """
    tools = (
        _tool("etcd", "etcd", "go.etcd.io/etcd/server/v3", "half a minute on two cores"),
        _kubernetes("kube-apiserver", "about 6 minutes on two cores"),
        _kubernetes("kube-controller-manager", "about a minute on two cores"),
        _kubernetes("kube-scheduler", "half a minute on two cores"),
        _tool("kwok", "kwok", "sigs.k8s.io/kwok/cmd/kwok", "about 2 minutes on two cores"),
        _tool("kueue", "kueue", "sigs.k8s.io/kueue/cmd/kueue", "about 4 minutes on two cores"),
        _tool("jobset", "jobset", "sigs.k8s.io/jobset", "about 2 minutes on two cores"),
    )
    return {tool.name: tool for tool in tools}
