//! Which device the learner's network runs on, by a word. Playing has an engine of its own for the
//! processor.

use burn::tensor::Device;

/// Why a processor cannot train: burn's matrix products look for one instruction of a group and
/// then use all of the group, which would end in a panic.
///
/// # Errors
/// The group and what of it is missing.
pub fn check_processor() -> Result<(), DeviceError> {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! missing {
            ($sign:tt, $group:literal, $($needed:tt),+) => {
                if is_x86_feature_detected!($sign) {
                    let all = [$(($needed, is_x86_feature_detected!($needed))),+];
                    let missing = all.iter().filter(|part| !part.1).map(|part| part.0);
                    let missing = missing.collect::<Vec<_>>().join(", ");
                    if !missing.is_empty() {
                        return Err(DeviceError::Processor { sign: $sign, group: $group, missing });
                    }
                }
            };
        }
        missing!("fma", "x86-64-v3", "avx2", "bmi1", "bmi2", "f16c", "lzcnt", "movbe", "popcnt");
        missing!("avx512f", "x86-64-v4", "avx512bw", "avx512cd", "avx512dq", "avx512vl");
    }
    Ok(())
}

/// A device as the settings name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceWord {
    /// This processor.
    #[default]
    Cpu,
    /// A graphics card through Vulkan, Metal or DirectX.
    Wgpu,
    /// An NVIDIA card.
    Cuda,
}

/// Why a device cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    #[error(
        "is `{0}`, but this program was built without it; choose `cpu`, or build with \
         `--features {0}`"
    )]
    NotBuilt(&'static str),
    #[error(
        "this processor has {sign} but not {missing}, which the library of the matrix products \
         takes for granted with it ({group}); models can be played and measured here, not trained"
    )]
    Processor { sign: &'static str, group: &'static str, missing: String },
}

/// This processor.
pub fn cpu() -> Device {
    Device::flex()
}

impl DeviceWord {
    /// The device for inference; `.autodiff()` makes it one for training.
    ///
    /// # Errors
    /// If the program was built without it.
    pub fn open(self) -> Result<Device, DeviceError> {
        match self {
            Self::Cpu => Ok(Device::flex()),
            #[cfg(feature = "wgpu")]
            Self::Wgpu => Ok(Device::wgpu(Default::default())),
            #[cfg(not(feature = "wgpu"))]
            Self::Wgpu => Err(DeviceError::NotBuilt("wgpu")),
            #[cfg(feature = "cuda")]
            Self::Cuda => Ok(Device::cuda(0)),
            #[cfg(not(feature = "cuda"))]
            Self::Cuda => Err(DeviceError::NotBuilt("cuda")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_always_there() {
        assert_eq!(DeviceWord::default().open(), Ok(Device::flex()));
    }

    #[test]
    fn a_processor_that_runs_these_tests_can_train() {
        assert_eq!(check_processor(), Ok(()));
        let (sign, group) = ("fma", "x86-64-v3");
        let missing = String::from("avx2, bmi2");
        let error = DeviceError::Processor { sign, group, missing }.to_string();
        assert!(error.contains("has fma but not avx2, bmi2"), "{error}");
    }

    #[cfg(not(feature = "cuda"))]
    #[test]
    fn a_device_that_was_not_built_says_how_to_build_it() {
        let error = DeviceWord::Cuda.open().unwrap_err().to_string();
        assert!(error.contains("`--features cuda`"), "{error}");
    }
}
