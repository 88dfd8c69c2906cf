//! Training on several cores: replicas of the network, each on one thread with a part of the
//! batch, and their gradients summed in a fixed order.

use super::Net;
use burn::module::Module;
use burn::optim::{GradientsAccumulator, GradientsParams};
use burn::tensor::Tensor;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};

/// Runs `f(index, replica)` for each replica on a thread of its own and gives the sum of the
/// gradients of all losses, and the replicas' other results, in the order of their indices.
///
/// The sum is as exact as one replica's: a mean over the whole batch is up to `f`, which scales its
/// loss by its share. The same replicas give the same gradients, to the bit.
///
/// # Panics
/// If `replicas` is 0, if the net is not on a device with autodiff, or if `f` panics.
pub fn data_parallel<T, F>(net: &Net, replicas: usize, f: F) -> (GradientsParams, Vec<T>)
where
    T: Send,
    F: Fn(usize, &Net) -> (Tensor<1>, T) + Sync,
{
    assert!(replicas > 0, "training takes at least one replica");
    let device = net.device();
    // A fork has a graph of its own, so that replicas do not wait for each other's.
    let forks: Vec<Net> = (0..replicas).map(|_| net.clone().fork(&device)).collect();
    let pools = pools(replicas);
    let f = &f;
    let results: Vec<(GradientsParams, T)> = std::thread::scope(|scope| {
        let work = forks.into_iter().zip(&pools).enumerate();
        let threads: Vec<_> = work
            .map(|(index, (net, pool))| {
                scope.spawn(move || {
                    pool.install(|| {
                        let (loss, result) = f(index, &net);
                        (GradientsParams::from_grads(loss.backward(), &net), result)
                    })
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let mut sum = GradientsAccumulator::new();
    let mut others = Vec::with_capacity(replicas);
    for (gradients, other) in results {
        sum.accumulate(net, gradients);
        others.push(other);
    }
    (sum.grads(), others)
}

/// Pools of one thread each. burn's CPU backend uses rayon's current pool: without pools of their
/// own the replicas would share the global one, and hardly more than one core would work.
fn pools(count: usize) -> Vec<Arc<ThreadPool>> {
    static POOLS: Mutex<Vec<Arc<ThreadPool>>> = Mutex::new(Vec::new());
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    while pools.len() < count {
        let name = format!("replica-{}", pools.len());
        let builder = ThreadPoolBuilder::new().num_threads(1).thread_name(move |_| name.clone());
        match builder.build() {
            Ok(pool) => pools.push(Arc::new(pool)),
            Err(error) => panic!("no thread for a replica: {error}"),
        }
    }
    pools[..count].to_vec()
}
