use std::process::ExitCode;

fn main() -> ExitCode {
    // A job's shim is this program too. It must start fast and stay small, so it comes first.
    if std::env::args_os()
        .nth(1)
        .is_some_and(|word| word == windlass::SHIM)
    {
        let code = windlass_process::shim_main();
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    windlass::surface::cli::main()
}
