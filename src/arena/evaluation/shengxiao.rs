//! The fixed static evaluation of shengxiao.
