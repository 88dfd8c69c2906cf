//! Parse, dispatch, exit code. Everything else lives in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    menagerie::cmd::main()
}
