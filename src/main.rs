//! The `clawctl` binary.

fn main() {}
