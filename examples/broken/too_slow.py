"""Needs longer for a save than there is after a notice."""

import time
from pathlib import Path

from examples.trainer import Trainer, main

_SAVE_SECONDS = 4.0


class TooSlow(Trainer):
    def save(self, directory: Path) -> None:
        time.sleep(_SAVE_SECONDS)
        super().save(directory)


main(TooSlow())
