"""Windlass itself: its command line, and its MCP server."""

import json

from measuring import Failed, Server
from workload import RARE

from .tool import Tool, expect

# What one batch may have unless the settings say otherwise.
BATCH = 100


def operations(items):
    """The items as batches. A relation refers to an item by its number in the project."""
    for at in range(0, len(items), BATCH):
        batch = []
        for item in items[at:at + BATCH]:
            batch.append({"op": "create", "type": "task", "title": item.title, "content": item.text})
        for item in items[at:at + BATCH]:
            if item.blocker is not None:
                batch.append({"op": "relate", "source_id": str(item.blocker),
                              "relation_type": "blocks", "target_id": str(item.number)})
        yield from (batch[part:part + BATCH] for part in range(0, len(batch), BATCH))


def check(report):
    report = json.loads(report)
    if report["failed"]:
        raise Failed(f"{report['failed']} operations of a batch failed")


class Windlass(Tool):
    name = "windlass"

    def install(self):
        self.program = self.options.windlass
        if not self.program.is_file():
            raise Failed(f"{self.program.name} is not there; see --windlass")

    def prepare(self):
        self.run(self.program, "init", "--no-import")

    def create_all(self, items):
        for batch in operations(items):
            text = json.dumps({"operations": batch})
            check(self.run(self.program, "call", "entity_batch", "--input", "-", text=text))
        return f"in batches of {BATCH}, a process each"

    def start(self, _):
        self.run(self.program, "--version")

    def create(self, turn):
        self.run(self.program, "tasks", "create", f"One more {turn}", "--description",
                 self.items[0].text, "--blocked-by", "1")

    def list(self, _):
        expect(self.run(self.program, "tasks", "list", "--limit", "50"), "Item 1 ")

    def ready(self, _):
        expect(self.run(self.program, "ready", "--limit", "20"), "Item 1 ")

    def show(self, _):
        expect(self.run(self.program, "show", self.middle.number), self.middle.title)

    def search(self, _):
        expect(self.run(self.program, "search", RARE), self.middle.title)

    def update(self, turn):
        status = ["in_progress", "pending"][turn % 2]
        self.run(self.program, "tasks", "update", self.middle.number, "--status", status)

    def commands(self, _):
        expect(self.run(self.program, "commands"), "script-1")

    def data(self):
        return self.project / ".windlass"


class WindlassMcp(Windlass):
    name = "windlass mcp"
    against = "windlass mcp"
    server = None

    def prepare(self):
        super().prepare()
        self.server = self.started()

    def started(self):
        words = [str(self.program), "mcp", "--toolsets", "knowledge"]
        return Server(words, self.project, self.environment, self.options.limit)

    def create_all(self, items):
        for batch in operations(items):
            check(self.server.call("entity_batch", {"operations": batch}))
        return f"in batches of {BATCH}, a call each"

    def start(self, _):
        return self.started().close

    def create(self, turn):
        self.server.call("entity_create", {
            "type": "task", "title": f"One more {turn}", "content": self.items[0].text})

    def list(self, _):
        expect(self.server.call("entity_list", {"type": "task", "limit": 50}), "Item 1 ")

    def ready(self, _):
        expect(self.server.call("task_ready", {"limit": 20}), "Item 1 ")

    def show(self, _):
        expect(self.server.call("entity_get", {"id": str(self.middle.number)}), self.middle.title)

    def search(self, _):
        expect(self.server.call("search_fulltext", {"query": RARE}), self.middle.title)

    def update(self, turn):
        status = ["in_progress", "todo"][turn % 2]
        self.server.call("entity_update", {
            "id": str(self.middle.number), "properties": {"status": status}})

    commands = None

    def close(self):
        if self.server:
            self.server.close()
