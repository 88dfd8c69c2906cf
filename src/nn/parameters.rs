//! A network's weights as a flat list of named numbers: for averages, hashes and comparisons.

use super::Net;
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Tensor, TensorData};

/// Why a list of parameters does not fit a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    #[error("parameter {index} is `{found}`; this network has `{expected}` there")]
    Name { index: usize, expected: String, found: String },
    #[error("parameter `{name}` has {found} numbers; this network has {expected} there")]
    Length { name: String, expected: usize, found: usize },
    #[error("{found} parameters; this network has {expected}")]
    Count { expected: usize, found: usize },
}

/// All weights as `(name, numbers)`, always in the same order.
pub fn parameters(net: &Net) -> Vec<(String, Vec<f32>)> {
    let mut reader = Reader::default();
    net.visit(&mut reader);
    reader.found
}

/// The network with these weights, which must have the names, sizes and order of [`parameters`].
pub fn set_parameters(net: Net, values: &[(String, Vec<f32>)]) -> Result<Net, ParameterError> {
    let mut writer = Writer { path: Vec::new(), values, index: 0, error: None };
    let net = net.map(&mut writer);
    match writer.error {
        Some(error) => Err(error),
        None if writer.index != values.len() => {
            Err(ParameterError::Count { expected: writer.index, found: values.len() })
        }
        None => Ok(net),
    }
}

/// The numbers of a tensor of floats.
pub(super) fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    match tensor.into_data().try_into_vec() {
        Ok(values) => values,
        Err(error) => panic!("the network's tensors are made of f32: {error:?}"),
    }
}

#[derive(Default)]
struct Reader {
    path: Vec<String>,
    found: Vec<(String, Vec<f32>)>,
}

impl ModuleVisitor for Reader {
    fn enter_module(&mut self, name: &str, _container_type: &str) {
        self.path.push(name.to_string());
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.found.push((self.path.join("."), numbers(param.val())));
    }
}

struct Writer<'a> {
    path: Vec<String>,
    values: &'a [(String, Vec<f32>)],
    index: usize,
    error: Option<ParameterError>,
}

impl ModuleMapper for Writer<'_> {
    fn enter_module(&mut self, name: &str, _container_type: &str) {
        self.path.push(name.to_string());
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let index = self.index;
        self.index += 1;
        let shape = param.val().shape();
        let expected = self.path.join(".");
        let error = match self.values.get(index) {
            // The lengths of the lists are compared at the end.
            None => return param,
            Some((name, _)) if *name != expected => {
                ParameterError::Name { index, expected, found: name.clone() }
            }
            Some((_, values)) if values.len() != shape.num_elements() => ParameterError::Length {
                name: expected,
                expected: shape.num_elements(),
                found: values.len(),
            },
            Some((_, values)) => {
                return param.map(|old| {
                    let data = TensorData::new(values.clone(), shape);
                    let new = Tensor::from_data(data, &old.device());
                    if old.is_require_grad() { new.require_grad() } else { new }
                });
            }
        };
        self.error.get_or_insert(error);
        param
    }
}
