# The few entry points that a person needs. `just` lists them.

_default:
    @just --list --unsorted

# Build the binary.
build:
    cargo build --release

# Run all tests.
test:
    cargo xtask test

# Format, lint, and check who depends on whom.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    cargo xtask check-deps

# Regenerate docs/reference from the code.
docs:
    cargo xtask docs

# Build the binary as it is shipped, and pack it.
dist:
    cargo xtask dist

# Measure Windlass beside its yardsticks.
bench:
    cargo build --release
    cargo run --release --package windlass-bench

# Everything that must hold before a merge.
ci: lint test
    cargo xtask docs --check
    cargo xtask check-docs
    cargo xtask stability --check
    cargo xtask check-crates
    cargo deny check
