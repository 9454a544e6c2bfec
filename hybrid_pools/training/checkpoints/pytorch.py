"""For PyTorch: state into a checkpoint's directory and out of it, agreement of workers, and the generators.

PyTorch is imported only when one of these is called.
"""

import base64
from pathlib import Path
from typing import Any

_SINGLE = "state.pt"


def save_state(state: dict[str, Any], directory: Path) -> None:
    """Writes a state dict: with torch.distributed.checkpoint where workers share it, in one file where there is one worker.

    Each worker passes a directory of its own, as `TrainingRun` gives it. DCP names its files by rank and worker 0 adds `.metadata`, so
    together they are one checkpoint.
    """
    import torch  # noqa: PLC0415

    if _distributed():
        import torch.distributed.checkpoint as dcp  # noqa: PLC0415

        dcp.save(state, storage_writer=dcp.FileSystemWriter(directory))
    else:
        torch.save(state, directory / _SINGLE)


def load_state(state: dict[str, Any], directory: Path) -> None:
    """Reads a state dict in place, with as many workers as saved it or with others. The directory holds the whole checkpoint.

    A checkpoint of one worker holds tensors and plain values only, so that reading it runs no code.
    """
    import torch  # noqa: PLC0415

    if (directory / _SINGLE).exists():
        state.update(torch.load(directory / _SINGLE, map_location="cpu", weights_only=True))
        return
    import torch.distributed.checkpoint as dcp  # noqa: PLC0415

    dcp.load(state, storage_reader=dcp.FileSystemReader(directory))


def agree(wish: int) -> int:
    """The greatest of the numbers that all workers pass; a collective operation, so every worker calls it."""
    import torch  # noqa: PLC0415
    import torch.distributed as dist  # noqa: PLC0415

    if not _distributed():
        return wish
    device = torch.device("cuda", torch.cuda.current_device()) if dist.get_backend() == "nccl" else torch.device("cpu")
    number = torch.tensor([wish], dtype=torch.int64, device=device)
    dist.all_reduce(number, op=dist.ReduceOp.MAX)
    return int(number.item())


class TorchRandom:
    """PyTorch's generators, of the processor and of this worker's GPU."""

    def get(self) -> dict[str, str | None]:
        """Their state."""
        import torch  # noqa: PLC0415

        gpu = torch.cuda.get_rng_state() if torch.cuda.is_available() else None
        return {"cpu": _text(torch.get_rng_state()), "gpu": None if gpu is None else _text(gpu)}

    def set(self, state: dict[str, str | None]) -> None:
        """Goes on where `get` stood."""
        import torch  # noqa: PLC0415

        if state["cpu"]:
            torch.set_rng_state(_tensor(state["cpu"]))
        if state["gpu"] and torch.cuda.is_available():
            torch.cuda.set_rng_state(_tensor(state["gpu"]))


def _distributed() -> bool:
    import torch.distributed as dist  # noqa: PLC0415

    return bool(dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1)


def _text(tensor: Any) -> str:
    return base64.b64encode(bytes(tensor.cpu().tolist())).decode()


def _tensor(text: str) -> Any:
    import torch  # noqa: PLC0415

    return torch.tensor(list(base64.b64decode(text)), dtype=torch.uint8)
