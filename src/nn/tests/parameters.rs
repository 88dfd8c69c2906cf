//! A network's weights by their names.

use super::super::{Net, flat};
use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::Tensor;

/// All weights as `(name, numbers)`, always in the same order.
pub fn parameters(net: &Net) -> Vec<(String, Vec<f32>)> {
    let mut reader = Reader::default();
    net.visit(&mut reader);
    reader.found
}

/// The network with other numbers.
pub fn set_parameters(net: Net, values: &[(String, Vec<f32>)]) -> Net {
    let all: Vec<f32> = values.iter().flat_map(|(_, numbers)| numbers).copied().collect();
    flat::write(net, &all)
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
        self.found.push((self.path.join("."), flat::floats(param.val())));
    }
}
