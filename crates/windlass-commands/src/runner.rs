//! The programs that run commands: their short names, their executables, and how to install them.

use std::fmt;

/// Declares every runner once: short name, program, package for Homebrew, package for apt. An empty
/// executable means that there is nothing to look up.
macro_rules! runners {
    ($( $name:ident, $short:literal, $program:literal, $brew:literal, $apt:literal; )*) => {
        /// A program that runs commands.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Runner { $( $name, )* }

        impl Runner {
            pub const ALL: &'static [Self] = &[$( Self::$name, )*];

            /// The name in outputs, from which suffixes of unique names are taken.
            pub const fn short_name(self) -> &'static str {
                match self { $( Self::$name => $short, )* }
            }

            /// The executable that the runner needs in `PATH`.
            pub const fn program(self) -> &'static str {
                match self { $( Self::$name => $program, )* }
            }

            const fn packages(self) -> (&'static str, &'static str) {
                match self { $( Self::$name => ($brew, $apt), )* }
            }
        }
    };
}

runners! {
    Make, "make", "make", "brew install make", "apt-get install make";
    Npm, "npm", "npm", "brew install node", "apt-get install npm";
    Pnpm, "pnpm", "pnpm", "brew install pnpm", "npm install -g pnpm";
    Yarn, "yarn", "yarn", "brew install yarn", "npm install -g yarn";
    Bun, "bun", "bun", "brew install oven-sh/bun/bun", "npm install -g bun";
    Uv, "uv", "uv", "brew install uv", "pipx install uv";
    Poetry, "poetry", "poetry", "brew install poetry", "apt-get install python3-poetry";
    Pdm, "pdm", "pdm", "brew install pdm", "pipx install pdm";
    Hatch, "hatch", "hatch", "brew install hatch", "pipx install hatch";
    Poe, "poe", "poe", "brew install poethepoet", "pipx install poethepoet";
    Task, "task", "task", "brew install go-task", "snap install task --classic";
    Turbo, "turbo", "turbo", "brew install turbo", "npm install -g turbo";
    Maven, "mvn", "mvn", "brew install maven", "apt-get install maven";
    Gradle, "gradle", "gradle", "brew install gradle", "apt-get install gradle";
    Act, "act", "act", "brew install act", "gh extension install nektos/gh-act";
    DockerCompose, "docker-compose", "docker", "brew install docker", "apt-get install docker.io docker-compose-v2";
    Travis, "travis", "", "", "";
    Cmake, "cmake", "cmake", "brew install cmake", "apt-get install cmake";
    Just, "just", "just", "brew install just", "apt-get install just";
    Cargo, "cargo", "cargo", "brew install rustup", "apt-get install cargo";
    Mise, "mise", "mise", "brew install mise", "apt-get install mise";
    Deno, "deno", "deno", "brew install deno", "npm install -g deno";
    Composer, "composer", "composer", "brew install composer", "apt-get install composer";
    Rake, "rake", "rake", "brew install ruby", "apt-get install rake";
    Shell, "sh", "sh", "brew install bash", "apt-get install bash";
    Node, "node", "node", "brew install node", "apt-get install nodejs";
    Rye, "rye", "rye", "brew install rye", "cargo install rye";
    Pixi, "pixi", "pixi", "brew install pixi", "cargo install pixi";
    Tox, "tox", "tox", "brew install tox", "apt-get install tox";
    Nox, "nox", "nox", "brew install nox", "apt-get install nox";
    Moon, "moon", "moon", "brew install moon", "npm install -g @moonrepo/cli";
    Nx, "nx", "nx", "brew install nx", "npm install -g nx";
    Bazel, "bazel", "bazel", "brew install bazelisk", "npm install -g @bazel/bazelisk";
    Lefthook, "lefthook", "lefthook", "brew install lefthook", "npm install -g lefthook";
    PreCommit, "pre-commit", "pre-commit", "brew install pre-commit", "apt-get install pre-commit";
    VsCode, "vscode", "sh", "brew install bash", "apt-get install bash";
    Procfile, "procfile", "sh", "brew install bash", "apt-get install bash";
}

impl Runner {
    pub fn from_short_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|runner| runner.short_name() == name)
    }

    /// How to install the runner.
    pub fn install_hint(self) -> String {
        if self == Self::Travis {
            return "Travis CI jobs cannot be run on this machine".to_owned();
        }
        let (brew, apt) = self.packages();
        format!(
            "Install {}: {brew} (macOS) or {apt} (Ubuntu)",
            self.short_name()
        )
    }
}

impl fmt::Display for Runner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.short_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_unique_and_round_trip() {
        for runner in Runner::ALL {
            assert_eq!(Runner::from_short_name(runner.short_name()), Some(*runner));
        }
    }

    #[test]
    fn the_hint_matches_the_contract() {
        assert_eq!(
            Runner::Make.install_hint(),
            "Install make: brew install make (macOS) or apt-get install make (Ubuntu)"
        );
        for runner in Runner::ALL {
            assert!(!runner.install_hint().is_empty());
        }
    }
}
