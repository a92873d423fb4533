//! How a long job uses the threads of its caller, reports its progress, and is cancelled.
//!
//! A job starts no threads and reads no clock. Its caller passes a [`JobControl`], which does not change the result.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Takes the progress of a job, 0 to 1, and returns whether to continue.
pub type Progress<'a> = dyn Fn(f32) -> bool + Sync + 'a;

/// Calls a function for each index below a count, in any order, possibly on several threads. Returns after the last call.
pub type ForEachIndex<'a> = dyn Fn(usize, &(dyn Fn(usize) + Sync)) + Sync + 'a;

/// How a job runs.
#[expect(missing_debug_implementations, reason = "functions have no text")]
#[derive(Clone, Copy)]
pub struct JobControl<'a> {
    pub progress: &'a Progress<'a>,
    pub for_each_index: &'a ForEachIndex<'a>,
}

impl JobControl<'_> {
    /// One thread, without progress. The job is never cancelled.
    pub const ONE_THREAD: JobControl<'static> =
        JobControl { progress: &|_| true, for_each_index: &|count, work| (0..count).for_each(work) };
}

/// The threads, the progress and the cancellation of a caller.
#[expect(missing_debug_implementations, reason = "functions have no text")]
pub struct Workers<'a> {
    control: JobControl<'a>,
    cancelled: AtomicBool,
}

impl<'a> Workers<'a> {
    pub fn new(control: JobControl<'a>) -> Self {
        Self { control, cancelled: AtomicBool::new(false) }
    }

    /// Reports the progress, 0 to 1. After a cancellation, the caller is not asked again.
    pub fn report_progress(&self, share: f32) -> ControlFlow<()> {
        if !self.cancelled.load(Ordering::Relaxed) && (self.control.progress)(share) {
            return ControlFlow::Continue(());
        }
        self.cancelled.store(true, Ordering::Relaxed);
        ControlFlow::Break(())
    }

    /// Returns the results of `work` for each index below `count`, in order.
    pub fn map<R: Send + Sync>(
        &self,
        count: usize,
        work: impl Fn(usize) -> ControlFlow<(), R> + Sync,
    ) -> ControlFlow<(), Vec<R>> {
        let results: Vec<OnceLock<R>> = (0..count).map(|_| OnceLock::new()).collect();
        (self.control.for_each_index)(count, &|index| {
            if let ControlFlow::Continue(result) = work(index) {
                // Each index is called once.
                let _ = results[index].set(result);
            }
        });
        let all: Option<Vec<R>> = results.into_iter().map(OnceLock::into_inner).collect();
        all.map_or(ControlFlow::Break(()), ControlFlow::Continue)
    }

    /// Works like [`Self::map`] for work that reports its own progress, 0 to 1, and that returns `None` if it is cancelled.
    /// `range` is the progress of the whole job at the start and at the end of this work.
    pub fn map_with_progress<R: Send + Sync>(
        &self,
        range: [f32; 2],
        count: usize,
        work: impl Fn(usize, &dyn Fn(f32) -> bool) -> Option<R> + Sync,
    ) -> Option<Vec<R>> {
        let shares: Vec<AtomicU32> = (0..count).map(|_| AtomicU32::new(0)).collect();
        let work_with_progress = |index: usize| {
            let on_progress = |share: f32| {
                shares[index].store(share.to_bits(), Ordering::Relaxed);
                let done: f32 = shares.iter().map(|share| f32::from_bits(share.load(Ordering::Relaxed))).sum();
                self.report_progress(range[0] + (range[1] - range[0]) * done / count as f32).is_continue()
            };
            work(index, &on_progress).map_or(ControlFlow::Break(()), ControlFlow::Continue)
        };
        self.map(count, work_with_progress).continue_value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn the_progress_of_all_indices_fills_the_range() {
        let reported = Mutex::new(Vec::new());
        let progress = |share: f32| {
            reported.lock().expect("one thread").push(share);
            true
        };
        let control = JobControl { progress: &progress, ..JobControl::ONE_THREAD };
        let work =
            |index: usize, progress: &dyn Fn(f32) -> bool| (progress(0.5) && progress(1.0)).then_some(10 * index);
        assert_eq!(Workers::new(control).map_with_progress([0.5, 1.0], 2, work), Some(vec![0, 10]));
        assert_eq!(reported.into_inner().expect("one thread"), [0.625, 0.75, 0.875, 1.0]);
    }

    #[test]
    fn a_caller_that_cancels_is_not_asked_again() {
        let count = AtomicU32::new(0);
        let progress = |_| {
            count.fetch_add(1, Ordering::Relaxed);
            false
        };
        let workers = Workers::new(JobControl { progress: &progress, ..JobControl::ONE_THREAD });
        assert_eq!(workers.map_with_progress([0.0, 1.0], 3, |_, progress| progress(0.0).then_some(())), None);
        assert_eq!(count.into_inner(), 1);
    }
}
