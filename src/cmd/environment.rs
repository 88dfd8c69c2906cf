//! The environment variables, checked before a command begins: a misspelt one is told, not passed
//! over.

use super::exit::Usage;
use crate::nn::board_conv::{Instructions, VARIABLE as KERNELS};
use crate::train::fault;

/// Refuses values that mean nothing.
pub fn check() -> Result<(), Usage> {
    check_kernels(&value(KERNELS))?;
    check_fault(&value(fault::VARIABLE))
}

/// A variable's value; empty without one. What is no UTF-8 is quoted as well as it can be.
fn value(name: &str) -> String {
    std::env::var_os(name).unwrap_or_default().to_string_lossy().into_owned()
}

fn check_kernels(text: &str) -> Result<(), Usage> {
    if text.is_empty() || Instructions::named(text).is_some() {
        return Ok(());
    }
    let names: Vec<&str> = Instructions::available().iter().map(|set| set.name()).collect();
    let names = names.join(", ");
    Err(Usage(format!("{KERNELS}={text}: no such kernels here; this processor has {names}")))
}

fn check_fault(text: &str) -> Result<(), Usage> {
    let (name, count) = text.split_once(':').unwrap_or((text, "1"));
    let is_counted = count.parse::<u64>().is_ok();
    let is_point = fault::POINTS.contains(&name) && count != "0";
    let spoils = ["nan", "spike"].contains(&name) && text.contains(':');
    if text.is_empty() || (is_counted && (is_point || spoils)) {
        return Ok(());
    }
    let (name, points) = (fault::VARIABLE, fault::POINTS.join(", "));
    Err(Usage(format!(
        "{name}={text}: no such fault; there are {points}, each with `:N` for the N-th time, and \
         nan:SAMPLE, spike:SAMPLE"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_pass_and_others_are_quoted() {
        for sound in ["", "portable"] {
            check_kernels(sound).unwrap();
        }
        let error = check_kernels("foo").unwrap_err().to_string();
        assert!(error.starts_with("MENAGERIE_KERNELS=foo: ") && error.contains("portable"));
        for sound in ["", "after-shard", "after-shard:3", "nan:40", "spike:0"] {
            check_fault(sound).unwrap();
        }
        for wrong in ["bogus", "after-shard:0", "after-shard:x", "after-shard:", "nan", "nan:x"] {
            let error = check_fault(wrong).unwrap_err().to_string();
            assert!(error.starts_with(&format!("MENAGERIE_FAULT={wrong}: ")), "{error}");
        }
    }
}
