//! Floor 2: the simulation. No bone names, no curves, no allocation during a step.
