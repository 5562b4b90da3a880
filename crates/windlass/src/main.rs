fn main() -> std::process::ExitCode {
    windlass::surface::cli::main()
}
