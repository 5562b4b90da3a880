"""beads (`bd`): issues in an embedded database. Its npm package downloads the program."""

import json

from workload import RARE

from .tool import Tool, expect


class Beads(Tool):
    name = "beads"
    version = "1.3.0"

    def install(self):
        # The package has only the script that gets the program from the releases of its repository.
        self.program = self.npm("@beads/bd", "bd", with_scripts=True)
        self.run(self.program, "--version")

    def prepare(self):
        self.run("git", "init", "--quiet")
        self.run(self.program, "init", "--prefix", "peer", "--non-interactive", "--skip-hooks",
                 "--skip-agents", "--quiet")

    def create_all(self, items):
        lines = []
        for item in items:
            issue = {"id": f"peer-{item.number}", "title": item.title, "description": item.text,
                     "status": "open", "priority": 2, "issue_type": "task"}
            if item.blocker is not None:
                issue["dependencies"] = [{"issue_id": issue["id"], "type": "blocks",
                                          "depends_on_id": f"peer-{item.blocker}"}]
            lines.append(json.dumps(issue))
        (self.folder / "items.jsonl").write_text("\n".join(lines) + "\n")
        self.run(self.program, "import", self.folder / "items.jsonl")
        return "one import"

    def start(self, _):
        self.run(self.program, "--version")

    def create(self, turn):
        self.run(self.program, "create", f"One more {turn}", "--description", self.items[0].text,
                 "--deps", "peer-1")

    def list(self, _):
        expect(self.run(self.program, "list", "--limit", "50", "--json"), "Item ")

    def ready(self, _):
        expect(self.run(self.program, "ready", "--limit", "20", "--json"), "Item ")

    def show(self, _):
        number = f"peer-{self.middle.number}"
        expect(self.run(self.program, "show", number, "--json"), self.middle.title)

    def search(self, _):
        expect(self.run(self.program, "search", RARE, "--json"), self.middle.title)

    def update(self, turn):
        status = ["in_progress", "open"][turn % 2]
        self.run(self.program, "update", f"peer-{self.middle.number}", "--status", status)

    def data(self):
        return self.project / ".beads"
