"""dela: lists and runs the commands of a repository. It has no items."""

from .tool import Tool, expect


class Dela(Tool):
    name = "dela"
    version = "0.0.6"

    def install(self):
        self.program = self.cargo("dela")

    def prepare(self):
        # It refuses to work without the folders that its set-up makes.
        for name in [".dela", ".config/dela"]:
            (self.folder / "home" / name).mkdir(parents=True)

    def start(self, _):
        self.run(self.program, "--version")

    def commands(self, _):
        expect(self.run(self.program, "list"), "script-1")
