"""task-master: all tasks in one JSON file. Its ways to make many tasks at once need a language model."""

import json
import time

from .tool import Tool, expect


class TaskMaster(Tool):
    name = "task-master"
    version = "0.43.1"

    def install(self):
        self.program = self.npm("task-master-ai", "task-master")

    def prepare(self):
        self.run(self.program, "init", "-y", "--name", "peers", "--no-git", "--no-aliases",
                 "--rules", "cursor")
        settings = self.data() / "config.json"
        config = json.loads(settings.read_text())
        config["global"]["anonymousTelemetry"] = False
        settings.write_text(json.dumps(config))

    def create_all(self, items):
        """There is no bulk way, so only as many as there is time for; then its file is completed."""
        # The first task cannot be added, because there is no file yet.
        self.write(items[:1])
        begun = time.monotonic()
        made = 1
        for item in items[1:]:
            if time.monotonic() - begun > self.options.create_seconds:
                break
            self.create_item(item)
            made += 1
        self.created = (made - 1, time.monotonic() - begun)
        if made == len(items):
            return f"{made} one by one"
        self.write(items)
        return f"{made} one by one, the others written into its file"

    def create_item(self, item):
        words = ["add-task", "--title", item.title, "--description", item.text]
        if item.blocker is not None:
            words += ["--dependencies", str(item.blocker)]
        self.run(self.program, *words)

    def write(self, items):
        tasks = [{
            "id": item.number, "title": item.title, "description": item.text, "details": "",
            "testStrategy": "", "status": "pending", "priority": "medium", "subtasks": [],
            "dependencies": [] if item.blocker is None else [item.blocker],
        } for item in items]
        day = "2026-01-01T00:00:00.000Z"
        metadata = {"created": day, "updated": day, "description": "peers"}
        text = json.dumps({"master": {"tasks": tasks, "metadata": metadata}}, indent=2)
        (self.data() / "tasks" / "tasks.json").write_text(text)

    def start(self, _):
        self.run(self.program, "--version")

    def create(self, turn):
        self.run(self.program, "add-task", "--title", f"One more {turn}", "--description",
                 self.items[0].text, "--dependencies", "1")

    def list(self, _):
        expect(self.run(self.program, "list", "--json"), self.items[-1].title)

    def ready(self, _):
        expect(self.run(self.program, "list", "--ready", "--json"), self.items[0].title)

    def show(self, _):
        expect(self.run(self.program, "show", self.middle.number, "--format", "json"),
               self.middle.title)

    def update(self, turn):
        status = ["in-progress", "pending"][turn % 2]
        self.run(self.program, "set-status", self.middle.number, status)

    def data(self):
        return self.project / ".taskmaster"
