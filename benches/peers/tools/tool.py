"""What every tool can do, and how the package managers are asked for it."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from measuring import Failed, run

INSTALL_LIMIT = 1_200


@dataclass
class Options:
    """What was asked for on the command line."""

    windlass: Path
    cache: Path
    # Seconds for one call, and for creating items one by one.
    limit: float
    create_seconds: float
    # Programs that are there already, by the name of the tool.
    programs: dict[str, Path]


class Tool:
    """A tool in a folder of its own. A step that a tool does not have is not defined in its class.

    Steps get the number of the call and raise `Failed` if they did not do what they should.
    """

    name = ""
    # The tool whose values the ratios refer to.
    against = "windlass"
    # The version that is installed, for results that can be repeated.
    version = ""
    # Whether the program is in an optional dependency, as binaries for one platform are.
    needs_optional = False
    # How all items are created; none if the tool has no items.
    create_all = None

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        home = folder / "home"
        home.mkdir(parents=True)
        # Tools get no settings of whoever measures, and cannot write to that home.
        self.environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
        }
        self.project = folder / "project"
        self.project.mkdir()

    def install(self):
        """Makes the program available."""
        raise NotImplementedError

    def prepare(self):
        """Makes an empty project."""

    def close(self):
        """Ends what still runs."""

    def run(self, *words, text=None, environment=None):
        given = {**self.environment, **(environment or {})}
        return run([str(word) for word in words], self.project, given, self.options.limit, text)

    def tools_folder(self):
        return self.options.cache / "installed" / f"{self.name.replace(' ', '-')}-{self.version}"

    def npm(self, package, program, with_scripts=False):
        """Installs a package of npm, once, and returns one of its programs."""
        if self.name in self.options.programs:
            return self.options.programs[self.name]
        folder = self.tools_folder()
        path = folder / "node_modules" / ".bin" / program
        if path.exists():
            return path
        words = ["npm", "install", "--no-audit", "--no-fund"]
        if not self.needs_optional:
            words.append("--omit=optional")
        if not with_scripts:
            words.append("--ignore-scripts")
        self._install(folder, [*words, "--prefix", str(folder), f"{package}@{self.version}"])
        if not path.exists():
            raise Failed(f"the package {package} {self.version} has no program {program}")
        return path

    def cargo(self, package):
        """Installs a crate, once, and returns its program."""
        if self.name in self.options.programs:
            return self.options.programs[self.name]
        folder = self.tools_folder()
        path = folder / "bin" / package
        if not path.exists():
            words = ["cargo", "install", "--quiet", "--locked", "--version", self.version]
            self._install(folder, [*words, "--root", str(folder), package])
        return path

    def _install(self, folder, words):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            # With the settings of whoever measures: they say where the registries are.
            run(words, folder, dict(os.environ), INSTALL_LIMIT)
        except Failed as problem:
            # Else the next run would take half an installation for a whole one.
            shutil.rmtree(folder, ignore_errors=True)
            raise Failed(f"cannot be installed: {problem}") from problem


def expect(text, part):
    """A step that found nothing would be fast."""
    if part not in text:
        raise Failed(f"the output has no {part!r}: {text.strip()[:200]!r}")
    return text
