//! The whole solver on small networks.
