//! A network's parameters as one flat array, in the order in which the module lists them, and its
//! gradients in the same order.

use super::settings::check as check_size;
use super::{Net, NetError, NetworkSettings, weight_count};
use crate::codec::Shape;
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, TensorData};

/// Refuses a form that no network has, and another number of values than it has weights.
pub fn check(shape: &Shape, settings: &NetworkSettings, values: usize) -> Result<(), NetError> {
    check_size(shape, settings)?;
    let expected = weight_count(shape, settings);
    if values as u64 == expected {
        Ok(())
    } else {
        Err(NetError::Weights { found: values, expected })
    }
}

/// A network of this form with `values` for its parameters, on the CPU.
pub fn network(shape: Shape, settings: &NetworkSettings, values: &[f32]) -> Result<Net, NetError> {
    check(&shape, settings, values.len())?;
    Ok(write(Net::init(shape, settings, 0, &Device::flex())?, values))
}

/// The same on a device, ready to be trained.
pub fn trainable(
    shape: Shape,
    settings: &NetworkSettings,
    values: &[f32],
    device: &Device,
) -> Result<Net, NetError> {
    check(&shape, settings, values.len())?;
    Ok(write(Net::init(shape, settings, 0, &device.clone().autodiff())?, values))
}

/// The parameters of a new network.
pub fn initial(shape: Shape, settings: &NetworkSettings, seed: u64) -> Result<Vec<f32>, NetError> {
    Ok(read(&Net::init(shape, settings, seed, &Device::flex())?))
}

/// All parameters, one after the other.
pub fn read(net: &Net) -> Vec<f32> {
    let mut reader = Reader(Vec::new());
    net.visit(&mut reader);
    reader.0
}

/// The network with `values` for its parameters, gradients wanted where they were.
///
/// # Panics
/// If `values` is not as long as [`read`] gives.
pub fn write(net: Net, values: &[f32]) -> Net {
    let mut writer = Writer { values, at: 0 };
    let net = net.map(&mut writer);
    assert_eq!(writer.at, values.len(), "one value for each weight");
    net
}

/// For each weight: is it part of a matrix or kernel (which decay), not of a bias?
pub fn decays(net: &Net) -> Vec<bool> {
    let mut ranks = Ranks(Vec::new());
    net.visit(&mut ranks);
    ranks.0
}

/// The gradients of all parameters; 0 where a parameter took no part.
pub fn gradient(net: &Net, gradients: GradientsParams) -> Vec<f32> {
    let mut collector = Collector { gradients, out: Vec::new() };
    net.visit(&mut collector);
    collector.out
}

pub(super) fn floats<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec::<f32>().expect("weights are f32")
}

struct Reader(Vec<f32>);

impl ModuleVisitor for Reader {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0.extend(floats(param.val()));
    }
}

struct Ranks(Vec<bool>);

impl ModuleVisitor for Ranks {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let count = param.val().dims().iter().product::<usize>();
        self.0.extend(std::iter::repeat_n(D > 1, count));
    }
}

struct Collector {
    gradients: GradientsParams,
    out: Vec<f32>,
}

impl ModuleVisitor for Collector {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let count = param.val().dims().iter().product::<usize>();
        match self.gradients.remove::<D>(param.id) {
            Some(gradient) => self.out.extend(floats(gradient)),
            None => self.out.extend(std::iter::repeat_n(0.0, count)),
        }
    }
}

struct Writer<'a> {
    values: &'a [f32],
    at: usize,
}

impl ModuleMapper for Writer<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let wanted = param.is_require_grad();
        let (id, tensor, mapper) = param.consume();
        let shape = tensor.dims();
        let count = shape.iter().product::<usize>();
        let values = self.values[self.at..self.at + count].to_vec();
        self.at += count;
        let fresh = Tensor::from_data(TensorData::new(values, shape), &tensor.device());
        let fresh = if wanted { fresh.require_grad() } else { fresh };
        Param::from_mapped_value(id, fresh, mapper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Encode;
    use crate::game::{celestial, jungle, shengxiao};

    #[test]
    fn as_many_weights_are_counted_as_there_are() {
        let shapes = [
            jungle::Jungle::new(Default::default()).unwrap().shape(),
            celestial::Celestial::new(Default::default()).shape(),
            shengxiao::Shengxiao::new(Default::default()).unwrap().shape(),
        ];
        let small = NetworkSettings { blocks: 1, channels: 8, ..NetworkSettings::default() };
        let odd = NetworkSettings {
            blocks: 5,
            channels: 16,
            pool_every: 3,
            policy_channels: 7,
            value_channels: 3,
            value_hidden: 20,
        };
        let never = NetworkSettings { pool_every: 0, ..odd.clone() };
        for shape in shapes {
            for settings in [&small, &odd, &never] {
                let values = initial(shape, settings, 1).unwrap();
                assert_eq!(weight_count(&shape, settings), values.len() as u64, "{shape:?}");
                assert!(network(shape, settings, &values).is_ok());
                let error = network(shape, settings, &values[1..]).unwrap_err().to_string();
                let has = format!("of a network that has {}", values.len());
                assert!(error.contains(&has), "{error}");
                assert!(trainable(shape, settings, &values[1..], &Device::flex()).is_err());
            }
        }
    }
}
