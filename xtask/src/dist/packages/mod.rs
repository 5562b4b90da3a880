//! One file a kind of package. Each gets a release, and returns a file name and its bytes, or nothing
//! where that kind of package does not exist for the system.

mod archive;
mod debian;
mod image;
mod mcpb;
mod npm;
mod wheel;

pub use self::npm::file_name as npm_file_name;
use super::release::Release;

pub struct Package {
    /// Its name for `--only`.
    pub name: &'static str,
    pub make: fn(&Release) -> Result<Option<File>, String>,
}

/// The name of a file, and its contents.
pub type File = (String, Vec<u8>);

pub const PACKAGES: &[Package] = &[
    Package {
        name: "archive",
        make: archive::make,
    },
    Package {
        name: "sbom",
        make: archive::sbom,
    },
    Package {
        name: "wheel",
        make: wheel::make,
    },
    Package {
        name: "npm",
        make: npm::make,
    },
    Package {
        name: "deb",
        make: debian::make,
    },
    Package {
        name: "mcpb",
        make: mcpb::make,
    },
    Package {
        name: "image",
        make: image::make,
    },
];

/// What Windlass is, for lists of packages. The registry of MCP servers allows 100 characters.
pub const SUMMARY: &str =
    "Plan, allowed commands and checked work for coding agents: MCP server and command line";
