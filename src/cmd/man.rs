//! `man`: manual pages, of the program and of each command.

use super::exit::Usage;

/// Print the manual page, or that of a command
#[derive(Clone, Debug, clap::Args)]
pub struct ManArgs {
    /// The command; the program as a whole if absent
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

/// Prints a page in roff: `menagerie man train | man -l -`.
pub fn run(args: &ManArgs, mut program: clap::Command) -> anyhow::Result<()> {
    // Only a built command knows its full name and the options that all commands have.
    program.build();
    let page = match &args.command {
        None => program,
        Some(name) => {
            let names = program.get_subcommands().map(clap::Command::get_name);
            let known = names.collect::<Vec<_>>().join(", ");
            let found = program.find_subcommand(name).cloned();
            found.ok_or_else(|| Usage(format!("no command `{name}`; there are {known}")))?
        }
    };
    Ok(clap_mangen::Man::new(page).render(&mut std::io::stdout())?)
}
