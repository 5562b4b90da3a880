"""Backlog.md: a Markdown file for each task."""

import time

from workload import RARE

from .tool import Tool, expect


class Backlog(Tool):
    name = "backlog.md"
    version = "1.52.0"
    needs_optional = True

    def install(self):
        self.program = self.npm("backlog.md", "backlog")

    def prepare(self):
        self.run(self.program, "init", "peers", "--defaults", "--no-git", "--integration-mode", "none")

    def create_all(self, items):
        """There is no bulk way, so only as many as there is time for; then files like the tool's."""
        begun = time.monotonic()
        made = 0
        for item in items:
            if time.monotonic() - begun > self.options.create_seconds:
                break
            self.create_item(item)
            made += 1
        self.created = (made, time.monotonic() - begun)
        for item in items[made:]:
            self.write(item)
        return f"{made} one by one" + (", the others written as its files" if items[made:] else "")

    def create_item(self, item):
        words = ["task", "create", item.title, "--description", item.text, "--plain"]
        if item.blocker is not None:
            words += ["--dep", f"task-{item.blocker}"]
        self.run(self.program, *words)

    def write(self, item):
        waits = f"\n  - TASK-{item.blocker}" if item.blocker is not None else " []"
        name = f"task-{item.number} - {item.title.replace(' ', '-')}.md"
        (self.data() / "tasks" / name).write_text(
            f"---\nid: TASK-{item.number}\ntitle: {item.title}\nstatus: To Do\nassignee: []\n"
            f"created_date: '2026-01-01 00:00'\nlabels: []\ndependencies:{waits}\n"
            f"ordinal: {item.number * 1000}\n---\n\n## Description\n\n"
            f"<!-- SECTION:DESCRIPTION:BEGIN -->\n{item.text}\n<!-- SECTION:DESCRIPTION:END -->\n"
        )

    def start(self, _):
        self.run(self.program, "--version")

    def create(self, turn):
        words = ["task", "create", f"One more {turn}", "--description", self.items[0].text]
        self.run(self.program, *words, "--dep", "task-1", "--plain")

    def list(self, _):
        expect(self.run(self.program, "task", "list", "--plain", "--limit", "50"), "Item ")

    def ready(self, _):
        expect(self.run(self.program, "task", "list", "--ready", "--plain", "--limit", "20"), "Item ")

    def show(self, _):
        expect(self.run(self.program, "task", self.middle.number, "--plain"), self.middle.title)

    def search(self, _):
        expect(self.run(self.program, "search", RARE, "--plain"), self.middle.title)

    def update(self, turn):
        status = ["In Progress", "To Do"][turn % 2]
        self.run(self.program, "task", "edit", self.middle.number, "-s", status, "--plain")

    def data(self):
        return self.project / "backlog"
