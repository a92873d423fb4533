//! Runs jobs on all processor cores.

use yuremono_format::parallel::for_each_index;
use yuremono_model::job::{JobControl, Progress};

/// Returns the control of a job that runs on all processor cores.
pub fn on_all_cores<'a>(progress: &'a Progress<'a>) -> JobControl<'a> {
    JobControl { progress, for_each_index: &|count, work| for_each_index(count, &work) }
}
