"""server-memory: an MCP server that keeps a graph of names and sentences in one file."""

from measuring import Server
from workload import RARE

from .tool import Tool, expect


class ServerMemory(Tool):
    name = "server-memory"
    against = "windlass mcp"
    version = "2026.8.31"
    server = None

    def install(self):
        self.program = self.npm("@modelcontextprotocol/server-memory", "mcp-server-memory")

    def prepare(self):
        self.data().mkdir()
        self.environment["MEMORY_FILE_PATH"] = str(self.data() / "memory.jsonl")
        self.server = self.started()

    def started(self):
        return Server([str(self.program)], self.project, self.environment, self.options.limit)

    def create_all(self, items):
        self.server.call("create_entities", {"entities": [entity(it.title, it.text) for it in items]})
        relations = [{"from": item.title, "to": self.items[item.blocker - 1].title,
                      "relationType": "waits for"} for item in items if item.blocker is not None]
        self.server.call("create_relations", {"relations": relations})
        return "two calls"

    def start(self, _):
        return self.started().close

    def create(self, turn):
        made = [entity(f"One more {turn}", self.items[0].text)]
        self.server.call("create_entities", {"entities": made})

    def list(self, _):
        expect(self.server.call("read_graph", {}), self.items[-1].title)

    def show(self, _):
        expect(self.server.call("open_nodes", {"names": [self.middle.title]}), self.middle.title)

    def search(self, _):
        expect(self.server.call("search_nodes", {"query": RARE}), self.middle.title)

    def update(self, turn):
        """It has no statuses; a sentence is added instead."""
        added = {"entityName": self.middle.title, "contents": [f"status {turn}"]}
        self.server.call("add_observations", {"observations": [added]})

    def data(self):
        return self.folder / "memory"

    def close(self):
        if self.server:
            self.server.close()


def entity(name, text):
    return {"name": name, "entityType": "task", "observations": [text, "status: todo"]}
