//! The rules of shengxiao.
