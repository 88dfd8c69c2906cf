//! BURN, here and in `learn/` only: the network, its kernels, inference, checkpoints.
