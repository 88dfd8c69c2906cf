//! Which kernels run: chosen once by what the processor can do.

use std::sync::OnceLock;

/// The environment variable that chooses kernels for measurements: `avx512`, `avx2`, `portable`.
pub const VARIABLE: &str = "MENAGERIE_KERNELS";

static CHOSEN: OnceLock<Instructions> = OnceLock::new();

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

/// An instruction set that this processor has: there is no other way to get a value than to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions(pub(super) Set);

impl Instructions {
    /// All that this processor has, fastest first.
    pub fn available() -> Vec<Self> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                sets.push(Self(Set::Avx512));
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                sets.push(Self(Set::Avx2));
            }
        }
        sets.push(Self(Set::Portable));
        sets
    }

    /// The set of this name, if this processor has it.
    pub fn named(name: &str) -> Option<Self> {
        Self::available().into_iter().find(|set| set.name() == name)
    }

    /// Makes these the kernels to use, and says whether they are: once any have been used, no
    /// others can be chosen.
    pub fn choose(self) -> bool {
        *CHOSEN.get_or_init(|| self) == self
    }

    /// The kernels to use: what was [chosen](Instructions::choose), or what `MENAGERIE_KERNELS`
    /// names if this processor has it, or the fastest. Decided once.
    pub fn chosen() -> Self {
        *CHOSEN.get_or_init(|| {
            let wanted = std::env::var(VARIABLE).unwrap_or_default();
            Self::named(&wanted).unwrap_or_else(|| Self::available()[0])
        })
    }

    /// The name as `MENAGERIE_KERNELS` writes it.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "avx2",
            Set::Portable => "portable",
        }
    }
}
