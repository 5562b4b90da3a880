use std::process::ExitCode;

fn main() -> ExitCode {
    windlass::main()
}
