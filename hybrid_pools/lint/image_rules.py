"""Rules on images."""

from collections.abc import Iterator

from hybrid_pools.lint.rule import Fault, Scope, Severity, Subject, rule


@rule(
    id="LINT-601",
    title="A job names its images by digest",
    severity=Severity.WARNING,
    scope=Scope.POD,
    why="A run that was interrupted starts again, maybe days later, and a tag may by then be another program.",
    fix="Write IMAGE@sha256:DIGEST, which `docker buildx imagetools inspect IMAGE:TAG` shows.",
    source="https://kubernetes.io/docs/concepts/containers/images/",
)
def image_is_by_digest(subject: Subject) -> Iterator[Fault]:
    for containers in ("initContainers", "containers"):
        for container in subject.pod.at("spec").of(containers).items():
            image = container.of("image")
            found = image.text()
            if found and "@sha256:" not in found:
                yield Fault(image.path, f"is {found}, a tag that may become another image")
