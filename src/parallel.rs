//! Runs jobs on all processor cores.

use rayon::prelude::*;
use yuremono_model::job::{JobControl, Progress};

/// Returns the control of a job that runs on all processor cores.
pub fn on_all_cores<'a>(progress: &'a Progress<'a>) -> JobControl<'a> {
    JobControl { progress, for_each_index: &|count, work| (0..count).into_par_iter().for_each(work) }
}
