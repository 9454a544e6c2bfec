"""What is installed and enforced inside the cluster."""

from typing import Annotated

from pydantic import Field

from hybrid_pools.blueprint.configuration.model import Form, Model, Namespace
from hybrid_pools.blueprint.vocabulary import AdmissionMode

ReleaseVersion = Annotated[
    str,
    Field(pattern=r"^[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}$"),
    Form("A version without v, for example 0.17.0"),
]
ServiceAccount = Annotated[
    str,
    Field(pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?/[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$"),
    Form("A service account with its namespace, for example ray-system/kuberay-operator"),
]
ImageByDigest = Annotated[
    str,
    Field(pattern=r"^[a-z0-9][-a-z0-9._:/]*[a-z0-9](:[A-Za-z0-9_][-A-Za-z0-9_.]{0,127})?@sha256:[0-9a-f]{64}$"),
    Form("A container image with its digest, so that nobody can put another one in its place: IMAGE@sha256: and 64 hexadecimal digits"),
]


class Component(Model):
    """One controller that the queues need."""

    version: ReleaseVersion
    """Version that the cluster has or gets."""

    install: bool = True
    """Install it with its chart. False on a cluster that has it already: it is then left alone."""


class Kueue(Component):
    """Kueue, which holds jobs back until there is quota for them."""

    version: ReleaseVersion = "0.17.0"
    """Version that the cluster has or gets."""


class JobSet(Component):
    """JobSet, which runs several jobs as one: a coordinator and its workers."""

    version: ReleaseVersion = "0.11.1"
    """Version that the cluster has or gets."""


class KubernetesConfiguration(Model):
    """Priority classes, namespaces of the teams, queues and admission policies inside the cluster."""

    admission: AdmissionMode | None = None
    """What becomes of objects that break an admission rule. Left out: deny on a new cluster, where nothing runs yet that could break; audit
    on an existing one, until its log is clean."""

    kueue: Kueue = Kueue()
    """Kueue, which holds jobs back until there is quota for them."""

    job_set: JobSet = JobSet()
    """JobSet, which runs several jobs as one."""

    pod_creators: tuple[ServiceAccount, ...] = ()
    """Service accounts of further batch operators that make pods themselves, such as that of KubeRay. Their pods may tolerate spot where
    they are checkpoint-capable; those of anybody else may not, whatever they say of their owner."""

    exempt_namespaces: tuple[Namespace, ...] = ()
    """Namespaces, beside those of GKE itself, whose pods are not judged: whoever may make pods there can reach every node."""

    kubectl_image: ImageByDigest | None = None
    """Image with kubectl and a shell, for the jobs that open and close the buffer's quota. Needed with a schedule. Best a copy in a
    registry of your own."""
