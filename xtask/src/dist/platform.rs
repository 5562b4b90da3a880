//! How each kind of package names the systems that a binary runs on.

/// A target of rustc, and its names elsewhere.
#[derive(Debug, PartialEq, Eq)]
pub struct Platform {
    pub target: &'static str,
    /// `os` and `cpu` of npm.
    pub npm: (&'static str, &'static str),
    /// The architecture of Debian and of container images, for Linux.
    pub linux: Option<&'static str>,
    /// The tag of Python wheels; on Linux it depends on the C library that the binary needs.
    pub wheel: &'static str,
    /// The name of the system in MCP bundles.
    pub bundle: &'static str,
}

pub const PLATFORMS: &[Platform] = &[
    linux("x86_64-unknown-linux-gnu", "x64", "amd64", "x86_64"),
    linux("x86_64-unknown-linux-musl", "x64", "amd64", "x86_64"),
    linux("aarch64-unknown-linux-gnu", "arm64", "arm64", "aarch64"),
    linux("aarch64-unknown-linux-musl", "arm64", "arm64", "aarch64"),
    mac("x86_64-apple-darwin", "x64", "macosx_10_12_x86_64"),
    mac("aarch64-apple-darwin", "arm64", "macosx_11_0_arm64"),
    Platform {
        target: "x86_64-pc-windows-msvc",
        npm: ("win32", "x64"),
        linux: None,
        wheel: "win_amd64",
        bundle: "win32",
    },
];

const fn linux(
    target: &'static str,
    cpu: &'static str,
    architecture: &'static str,
    wheel: &'static str,
) -> Platform {
    Platform {
        target,
        npm: ("linux", cpu),
        linux: Some(architecture),
        wheel,
        bundle: "linux",
    }
}

const fn mac(target: &'static str, cpu: &'static str, wheel: &'static str) -> Platform {
    Platform {
        target,
        npm: ("darwin", cpu),
        linux: None,
        wheel,
        bundle: "darwin",
    }
}

impl Platform {
    pub fn of(target: &str) -> Result<&'static Self, String> {
        let known = PLATFORMS.iter().find(|platform| platform.target == target);
        known.ok_or_else(|| {
            let names: Vec<&str> = PLATFORMS.iter().map(|it| it.target).collect();
            format!(
                "There are no packages for {target}; only for {}",
                names.join(", ")
            )
        })
    }

    pub fn is_windows(&self) -> bool {
        self.bundle == "win32"
    }

    /// The name of the program in packages.
    pub fn program(&self) -> &'static str {
        if self.is_windows() {
            "windlass.exe"
        } else {
            "windlass"
        }
    }

    /// The name of the npm package with the binary.
    pub fn npm_name(&self) -> String {
        let (system, cpu) = self.npm;
        format!("@windlass/{system}-{cpu}")
    }
}
