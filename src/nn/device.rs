//! Which device the network runs on, by a word.

use burn::tensor::Device;

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
    #[error("`{0}` is no device; allowed: `cpu`, `wgpu`, `cuda`")]
    Unknown(String),
    #[error(
        "this program was built without `{0}`; use device `cpu`, or build with `--features {0}`"
    )]
    NotBuilt(&'static str),
}

impl std::str::FromStr for DeviceWord {
    type Err = DeviceError;

    fn from_str(word: &str) -> Result<Self, DeviceError> {
        match word {
            "cpu" => Ok(Self::Cpu),
            "wgpu" => Ok(Self::Wgpu),
            "cuda" => Ok(Self::Cuda),
            _ => Err(DeviceError::Unknown(word.to_string())),
        }
    }
}

/// This processor.
pub fn cpu() -> Device {
    Device::flex()
}

impl DeviceWord {
    /// The device for inference; `.autodiff()` makes it one for training.
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
    fn the_processor_is_always_there_and_nothing_else_is_guessed() {
        assert_eq!("cpu".parse::<DeviceWord>().unwrap().open().unwrap(), Device::flex());
        let error = "gpu".parse::<DeviceWord>().unwrap_err().to_string();
        assert_eq!(error, "`gpu` is no device; allowed: `cpu`, `wgpu`, `cuda`");
    }

    #[cfg(not(feature = "cuda"))]
    #[test]
    fn a_device_that_was_not_built_says_how_to_build_it() {
        let error = DeviceWord::Cuda.open().unwrap_err().to_string();
        assert!(error.contains("`--features cuda`"), "{error}");
    }
}
