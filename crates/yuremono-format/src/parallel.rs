//! Runs work on all processor cores. A page in a browser has one core for each task.

#[cfg(not(target_arch = "wasm32"))]
use rayon::prelude::*;

/// Applies a function to all items. The results have the order of the items.
pub fn map<T: Send, R: Send>(items: Vec<T>, of: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    #[cfg(not(target_arch = "wasm32"))]
    let items = items.into_par_iter();
    #[cfg(target_arch = "wasm32")]
    let items = items.into_iter();
    items.map(of).collect()
}

/// Calls a function with all indices below `count`, in any order.
pub fn for_each_index(count: usize, act: &(dyn Fn(usize) + Sync)) {
    #[cfg(not(target_arch = "wasm32"))]
    (0..count).into_par_iter().for_each(act);
    #[cfg(target_arch = "wasm32")]
    (0..count).for_each(act);
}

/// Returns the number of functions that run at the same time.
pub fn thread_count() -> usize {
    #[cfg(not(target_arch = "wasm32"))]
    {
        rayon::current_num_threads()
    }
    #[cfg(target_arch = "wasm32")]
    1
}
