use std::process::ExitCode;

fn main() -> ExitCode {
    // A job's shim and a worker for scripts are this program too. They must start fast and stay
    // small, so they come first.
    let word = std::env::args_os().nth(1);
    if word.as_ref().is_some_and(|word| word == windlass::SHIM) {
        return exit_code(windlass_process::shim_main());
    }
    if word.as_ref().is_some_and(|word| word == windlass::WORKER) {
        return exit_code(windlass_ops::worker_main());
    }
    if word
        .as_ref()
        .is_some_and(|word| word == windlass::DOCUMENTS)
    {
        return windlass::surface::cli::reference::main();
    }
    windlass::surface::cli::main()
}

fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
