//! Environment variables that determine which programs run, or make a program run others. A caller
//! cannot set them unless a human allowed the name.

use crate::command::Command;
use crate::runner::Runner;

use super::Refusal;
use super::shell::shell_sign;

/// Rejected names.
const NAMES: &[&str] = &[
    // Which program is found, and what a shell does before or around a command.
    "PATH",
    "PATHEXT",
    "SHELL",
    "IFS",
    "ENV",
    "CDPATH",
    "GLOBIGNORE",
    "SHELLOPTS",
    "BASHOPTS",
    "PROMPT_COMMAND",
    "PS1",
    "PS2",
    "PS4",
    "ZDOTDIR",
    "FPATH",
    "HOME",
    "USERPROFILE",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_DIRS",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MANPAGER",
    "LESSOPEN",
    "LESSCLOSE",
    "BROWSER",
    "TERMINFO",
    "TERMCAP",
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "HOSTALIASES",
    "GLIBC_TUNABLES",
    "MALLOC_CHECK_",
    // Make and compilers.
    "MAKEFLAGS",
    "MFLAGS",
    "GNUMAKEFLAGS",
    "MAKEFILES",
    "MAKE",
    "MAKEOVERRIDES",
    "MAKESHELL",
    "CC",
    "CXX",
    "CPP",
    "LD",
    "AR",
    "AS",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "LIBRARY_PATH",
    "CPATH",
    "RM",
    "LEX",
    "YACC",
    "FC",
    "F77",
    "OBJC",
    "PC",
    "M2C",
    "CO",
    "GET",
    "LINT",
    "TEX",
    "MAKEINFO",
    "TEXI2DVI",
    "WEAVE",
    "CWEAVE",
    "TANGLE",
    "CTANGLE",
    "VPATH",
    "TARGET_ARCH",
    "OUTPUT_OPTION",
    "LDLIBS",
    "LOADLIBES",
    "PKG_CONFIG",
    "PKG_CONFIG_PATH",
    // Languages.
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_REPL_EXTERNAL_MODULE",
    "BUN_OPTIONS",
    "DENO_DIR",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "PERLLIB",
    "PERL_MM_OPT",
    "PERL_MB_OPT",
    "RUBYOPT",
    "RUBYLIB",
    "RUBYSHELL",
    "GEM_HOME",
    "GEM_PATH",
    "RAKEOPT",
    "RAKE_SYSTEM",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "COMPOSER_HOME",
    "COMPOSER",
    "LUA_PATH",
    "LUA_CPATH",
    "LUA_INIT",
    "GOFLAGS",
    "GOROOT",
    "GOPATH",
    "GOTOOLDIR",
    "GOENV",
    "GOPROXY",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUSTDOCFLAGS",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "JAVA_HOME",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "JAVA_OPTS",
    "JAVACMD",
    "CLASSPATH",
    "MAVEN_OPTS",
    "MAVEN_ARGS",
    "MAVEN_CONFIG",
    "M2_HOME",
    "MAVEN_HOME",
    "DOTNET_STARTUP_HOOKS",
    "DOTNET_ADDITIONAL_DEPS",
    "CORECLR_PROFILER",
    "CORECLR_ENABLE_PROFILING",
    "ERL_FLAGS",
    "ERL_AFLAGS",
    "ERL_ZFLAGS",
    "ELIXIR_ERL_OPTIONS",
    "R_PROFILE",
    "R_PROFILE_USER",
    "R_ENVIRON",
    "JULIA_LOAD_PATH",
    "JULIA_DEPOT_PATH",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    "OPENSSL_ENGINES",
    "VIRTUAL_ENV",
    "TURBO_BINARY_PATH",
    "ACT_CACHE_DIR",
    "BASH_LOADABLES_PATH",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SSH_AUTH_SOCK",
    "INIT_CWD",
    "PYTHONBREAKPOINT",
];

/// Rejected prefixes of names.
const PREFIXES: &[&str] = &[
    "LD_",
    "DYLD_",
    "BASH_ENV",
    "BASH_FUNC_",
    "GIT_",
    "NPM_CONFIG_",
    "YARN_",
    "PNPM_",
    "COREPACK_",
    "CARGO_",
    "PYTHON",
    "UV_",
    "PIP_",
    "POETRY_",
    "PDM_",
    "HATCH_",
    "BUNDLE_",
    "GRADLE_",
    "ORG_GRADLE_",
    "DOCKER_",
    "COMPOSE_",
    "CMAKE_",
    "JUST_",
    "MISE_",
    "TASK_X_",
    "CONDA_",
    "ASDF_",
    "NVM_",
    "VOLTA_",
    "RBENV_",
    "PYENV_",
    "WINDLASS_",
];

/// Names with a rejected prefix that only affect output or the amount of work.
const HARMLESS: &[&str] = &[
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "PYTHONFAULTHANDLER",
    "CARGO_TERM_COLOR",
    "CARGO_TERM_VERBOSE",
    "CARGO_TERM_QUIET",
    "CARGO_INCREMENTAL",
    "CARGO_BUILD_JOBS",
    "CARGO_NET_OFFLINE",
    "GIT_TERMINAL_PROMPT",
    "GIT_OPTIONAL_LOCKS",
    "DOCKER_BUILDKIT",
];

/// Checks whether a caller may set the name. `allowed` are names that a human allowed, matched
/// exactly.
pub fn check_environment<S: AsRef<str>>(name: &str, allowed: &[S]) -> Result<(), Refusal> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if name.is_empty()
        || !name.chars().all(plain)
        || name.starts_with(|it: char| it.is_ascii_digit())
    {
        return Err(Refusal::new(
            format!("{name:?} is not a valid name of an environment variable"),
            "Use letters, digits and underscores",
        ));
    }
    if allowed.iter().any(|known| known.as_ref() == name) || HARMLESS.contains(&name) {
        return Ok(());
    }
    // npm and others ignore the case of these names.
    let upper = name.to_ascii_uppercase();
    let refused =
        NAMES.contains(&upper.as_str()) || PREFIXES.iter().any(|prefix| upper.starts_with(prefix));
    if refused {
        return Err(Refusal::new(
            format!("the environment variable {name} can change which programs run"),
            "Ask a human to allow the name in config.toml",
        ));
    }
    Ok(())
}

/// Checks whether a caller may set the variable to this value. Some runners insert variables into a
/// shell script, and make even expands their values.
pub fn check_value<S: AsRef<str>>(
    command: &Command,
    name: &str,
    value: &str,
    allowed: &[S],
) -> Result<(), Refusal> {
    let into_text = matches!(command.runner, Runner::Make | Runner::Just | Runner::Task);
    if !into_text || allowed.iter().any(|known| known.as_ref() == name) {
        return Ok(());
    }
    match shell_sign(value) {
        None => Ok(()),
        Some(sign) => Err(Refusal::new(
            format!(
                "{} may insert {name} into a shell script, where {sign:?} is a special character",
                command.runner
            ),
            "Use a value without special characters of the shell, or ask a human to allow the name in config.toml",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked_if_the_runner_inserts_them_into_a_script() {
        let check = |runner, value, allowed: &[&str]| {
            let command = Command::new("file", runner, "x", "text").sealed();
            check_value(&command, "PORT", value, allowed).is_ok()
        };
        for value in [
            "$(shell evil)",
            "1; evil",
            "`evil`",
            "1\nevil",
            "a&b",
            "a|b",
        ] {
            for runner in [Runner::Make, Runner::Just, Runner::Task] {
                assert!(!check(runner, value, &[]), "{runner} {value}");
                assert!(check(runner, value, &["PORT"]), "{runner} {value}");
            }
            assert!(check(Runner::Npm, value, &[]), "{value}");
        }
        for value in ["", "8000", "a b", "http://x:80/y?z=1", "--flag=é", "*.rs"] {
            assert!(check(Runner::Make, value, &[]), "{value}");
        }
    }
}
