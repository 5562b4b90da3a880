//! Why the rest is not fixed.

/// The name of a check, and why `--fix` leaves it alone.
const REASONS: &[(&str, &str)] = &[
    ("binary", "it does not change what is installed"),
    ("environment", "it does not change your environment"),
    ("path", "it does not change your environment"),
    ("project", "whether this is to be a project is your choice"),
    ("state", "it may be the only copy"),
    (
        "trust",
        "only a person who looked at the state can take it over",
    ),
    (
        "database",
        "upgrades are made by the next write, after a copy",
    ),
    ("rescued", "only you know which copy is the right one"),
    (
        "integrity",
        "what cannot be derived again has to come from a copy",
    ),
    ("disk", "it removes nothing to make room"),
    ("log", "it stops no server"),
    ("servers", "it stops no server"),
    ("gates", "it runs nothing"),
    ("git", "it does not change the repository"),
    (
        "ignored",
        "it does not change what git tracks or what you wrote",
    ),
    ("journals", "it does not change what git tracks"),
    ("packs", "it does not change rules that somebody wrote"),
    ("config", "only you know what was meant"),
    ("commands", "only you know what was meant"),
    ("runners", "it installs nothing"),
    ("grants", "only a person allows what agents run"),
    ("allowlist", "only a person allows what agents run"),
    (
        "private",
        "others could have changed the list: look at it first",
    ),
    ("clients", "an entry may have arguments of yours"),
    ("scripts", "it does not change the system"),
    ("files", "it does not change the system"),
    ("telemetry", "only a person decides where data is sent"),
    ("port", "it stops no program"),
    ("runtimes", "it installs nothing and changes no credentials"),
];

pub fn why_not(check: &str) -> &'static str {
    let found = REASONS.iter().find(|(name, _)| *name == check);
    found.map_or("only you know what was meant", |(_, why)| why)
}
