"""beads_rust (`br`), which is only named: its licence does not let everybody run it."""

from measuring import Failed

from .tool import Tool


class BeadsRust(Tool):
    name = "beads_rust"
    version = "0.7.6"

    def install(self):
        raise Failed("left out: its licence is not plain MIT; a rider forbids some to run, test or "
                     "benchmark it, so that it is not installed for whoever runs this")
