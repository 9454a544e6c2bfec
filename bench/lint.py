"""What the lint of a training repository costs, beside a linter that everybody knows, on the same files."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from string import Template
from tempfile import TemporaryDirectory

from bench.measurement import Measurement, seconds
from hybrid_pools.blueprint.configuration.stack_file import check_stack_file
from hybrid_pools.blueprint.contract import contract
from hybrid_pools.blueprint.derivation import derive
from lab.paths import CHECKOUT

_FILES = 2_000
_ROUNDS = 3
_REQUIREMENTS = CHECKOUT / "requirements" / "bench-checkov.txt"
_ENVIRONMENT = CHECKOUT / "build" / "checkov"
_BIN = Path(sys.executable).parent

_TEMPLATE = """\
metadata:
  labels: {hybrid-pools.io/checkpoint: enabled, hybrid-pools.io/class: training}
  annotations:
    hybrid-pools.io/checkpoint-uri: $prefix/run-$number
    hybrid-pools.io/checkpoint-save-seconds: "20"
    hybrid-pools.io/checkpoint-interval-seconds: "600"
spec:
  serviceAccountName: training
  priorityClassName: hybrid-training
  restartPolicy: Never
  terminationGracePeriodSeconds: 60
  nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}
  containers:
    - name: trainer
      image: example.com/trainer@sha256:$digest
      command: [python, -m, trainer, --seed, "$number"]
      env:
        - {name: HYBRID_POOLS_CHECKPOINT_URI, value: "$prefix/run-$number"}
        - {name: SEED, value: "$number"}
      resources:
        requests: {cpu: "8", memory: 32Gi, nvidia.com/gpu: "1"}
        limits: {memory: 32Gi, nvidia.com/gpu: "1"}
      volumeMounts: [{name: scratch, mountPath: /scratch}]
  volumes: [{name: scratch, emptyDir: {sizeLimit: 100Gi}}]
"""
_HEAD = """\
metadata:
  name: run-$number
  namespace: team-vision
  labels: {kueue.x-k8s.io/queue-name: training, kueue.x-k8s.io/max-exec-time-seconds: "86400"}
"""
_POLICY = """\
backoffLimit: 3
podFailurePolicy:
  rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget, status: "True"}]}]
"""


def measure() -> Iterator[Measurement]:
    """Both on the same files, each in one process, in turn; of each the quickest run, because whatever else the machine does only slows it
    down."""
    _install()
    with TemporaryDirectory() as directory:
        root = Path(directory)
        promised = root / "contract.json"
        promised.write_text(_contract())
        whole, half = root / "whole", root / "half"
        _write(whole, _FILES)
        _write(half, _FILES // 2)
        rounds = [(_lint(half, _FILES // 2, promised), _lint(whole, _FILES, promised), _checkov(whole)) for _ in range(_ROUNDS)]
    some, all_, theirs = (min(taken) for taken in zip(*rounds, strict=True))
    yield Measurement("lint 2,000 manifests", all_, "s", None)
    yield Measurement("checkov on the same 2,000 manifests", theirs, "s", None)
    yield Measurement("20 lints of 2,000 manifests / checkov", 20 * all_ / theirs, "times", 1.0)
    yield Measurement("lint 2,000 manifests / 1,000 manifests", all_ / some, "times", 2.5)


def _lint(folder: Path, files: int, promised: Path) -> float:
    """Seconds of the whole command."""
    answers = []

    def lint() -> None:
        answers.append(_run([_BIN / "hybrid-pools", "lint", folder, "--contract", promised, "--output", "json"], codes=(0,)))

    taken = seconds(lint)
    told = json.loads(answers[0])
    if told["files"] != files or told["findings"]:
        raise RuntimeError(f"the lint looked at {told['files']} files and found {told['findings'][:1]}")
    return taken


def _checkov(folder: Path) -> float:
    """Seconds of the whole command. It finds something in every file and ends with 1."""
    how = ("--framework", "kubernetes", "--output", "json", "--compact", "--quiet")
    command: list[str | Path] = [_ENVIRONMENT / "bin" / "checkov", "--directory", folder, *how]
    answers = []
    taken = seconds(lambda: answers.append(_run(command, codes=(0, 1), CHECKOV_PARALLELIZATION_TYPE="none")))
    if json.loads(answers[0])["summary"]["resource_count"] < _FILES:
        raise RuntimeError("checkov did not look at every file")
    return taken


def _run(command: list[str | Path], *, codes: tuple[int, ...], **environment: str) -> bytes:
    done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL, env={**os.environ, **environment})
    if done.returncode not in codes:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr.decode()[-500:]}")
    return done.stdout


def _install() -> None:
    """An environment of its own: its requirements and the project's exclude each other."""
    stamp = _ENVIRONMENT / "requirements"
    wanted = sha256(_REQUIREMENTS.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    rmtree(_ENVIRONMENT, ignore_errors=True)
    uv = _BIN / "uv"
    _run([uv, "venv", "--quiet", "--python", sys.executable, _ENVIRONMENT], codes=(0,))
    python = _ENVIRONMENT / "bin" / "python"
    _run([uv, "pip", "install", "--quiet", "--python", python, "--require-hashes", "--requirement", _REQUIREMENTS], codes=(0,))
    stamp.write_text(wanted)


def _contract() -> str:
    blueprint = derive(check_stack_file(CHECKOUT / "stacks" / "Pulumi.prod.yaml"))
    names = {pool.name: pool.name for pool in blueprint.pools}
    buckets = {bucket.kind: f"bench-{bucket.kind}" for bucket in blueprint.buckets}
    return contract(blueprint, "bench", "bench.gke.goog", names, buckets=buckets).model_dump_json(exclude_none=True)


def _write(folder: Path, files: int) -> None:
    """Manifests of a training repository, of kinds that both know: checkov passes over a JobSet without a look."""
    for number in range(files):
        values = {"number": f"{number}", "digest": f"{number:064x}", "prefix": "gs://bench-checkpoints/runs/vision"}
        file = folder / f"group-{number // 100}" / f"{number}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_MANIFESTS[number % len(_MANIFESTS)](values))


def _job(values: Mapping[str, str]) -> str:
    return f"apiVersion: batch/v1\nkind: Job\n{_filled(_HEAD, **values)}spec:\n{_indented(_job_spec(values), 2)}"


def _job_spec(values: Mapping[str, str]) -> str:
    return f"{_POLICY}template:\n{_indented(_filled(_TEMPLATE, **values), 2)}"


def _cron_job(values: Mapping[str, str]) -> str:
    job = f"{_filled(_HEAD, **values)}spec:\n{_indented(_job_spec(values), 2)}"
    spec = f"schedule: 0 3 * * *\njobTemplate:\n{_indented(job, 2)}"
    name = _filled("metadata: {name: nightly-$number, namespace: team-vision}\n", **values)
    return f"apiVersion: batch/v1\nkind: CronJob\n{name}spec:\n{_indented(spec, 2)}"


def _service(values: Mapping[str, str]) -> str:
    return _filled(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web-$number, namespace: team-vision}\nspec:\n"
        "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web, hybrid-pools.io/class: service}}\n"
        "    spec:\n      priorityClassName: hybrid-service\n      containers:\n"
        "        - {name: web, image: 'example.com/web@sha256:$digest', ports: [{containerPort: 8080}]}\n",
        **values,
    )


def _settings(values: Mapping[str, str]) -> str:
    name = "metadata: {name: settings-$number, namespace: team-vision}"
    return _filled(f"apiVersion: v1\nkind: ConfigMap\n{name}\ndata: {{rate: '0.$number'}}\n", **values)


_MANIFESTS = (_job, _cron_job, _job, _job, _job, _service, _job, _cron_job, _job, _settings)


def _filled(text: str, **values: str) -> str:
    return Template(text).substitute(values)


def _indented(text: str, spaces: int) -> str:
    return "".join(f"{' ' * spaces}{line}\n" for line in text.splitlines())
