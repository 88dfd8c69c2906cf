//! How a network sees shengxiao.
