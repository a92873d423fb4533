//! Work on other threads: loading files, and fitting the parameters of converted chains to a motion.

use crate::feel::convert::motion_fit::MotionFitResult;
use crate::session::MotionFitJob;
use crate::ui::MotionFitStatus;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvError, TryRecvError, channel};

/// Work on another thread. Dropping this value cancels the work.
#[derive(Debug)]
pub(super) struct BackgroundTask<T> {
    /// Progress from 0 to 1, as the bits of an `f32`.
    progress: Arc<AtomicU32>,
    cancelled: Arc<AtomicBool>,
    result: Receiver<T>,
}

impl<T: Send + 'static> BackgroundTask<T> {
    /// Starts `work` on a thread. `work` gets a function that stores the progress, 0 to 1, and returns whether to
    /// continue.
    pub(super) fn start(
        ctx: &egui::Context,
        work: impl FnOnce(&(dyn Fn(f32) -> bool + Sync)) -> T + Send + 'static,
    ) -> Self {
        let (progress, cancelled) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
        let (sender, result) = channel();
        let (thread_progress, thread_cancelled) = (Arc::clone(&progress), Arc::clone(&cancelled));
        let ctx = ctx.clone();
        std::thread::spawn(move || {
            let on_progress = |share: f32| {
                thread_progress.store(share.to_bits(), Ordering::Relaxed);
                !thread_cancelled.load(Ordering::Relaxed)
            };
            // Sending fails if the window was closed or the work was cancelled.
            let _ = sender.send(work(&on_progress));
            ctx.request_repaint();
        });
        Self { progress, cancelled, result }
    }

    /// Returns `None` while the thread works, and an error if the thread ended without a result.
    pub(super) fn poll(&self) -> Option<Result<T, RecvError>> {
        match self.result.try_recv() {
            Ok(result) => Some(Ok(result)),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(RecvError)),
        }
    }
}

impl<T> BackgroundTask<T> {
    /// Cancels the work, and waits until its thread has ended it.
    pub(super) fn cancel_and_wait(self) {
        self.cancelled.store(true, Ordering::Relaxed);
        // The work of a thread that panicked has ended, too.
        let _ = self.result.recv();
    }

    pub(super) fn progress(&self) -> f32 {
        f32::from_bits(self.progress.load(Ordering::Relaxed))
    }
}

impl<T> Drop for BackgroundTask<T> {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

/// A running motion fit, or the result of the last one.
#[derive(Debug, Default)]
pub(super) enum MotionFitTask {
    #[default]
    Idle,
    Running(BackgroundTask<Option<MotionFitResult>>),
    Found(Box<MotionFitResult>),
}

impl MotionFitTask {
    /// Starts a fit on a thread, and cancels a running fit.
    pub(super) fn start(&mut self, job: MotionFitJob, ctx: &egui::Context) {
        *self = Self::Running(BackgroundTask::start(ctx, move |on_progress| {
            job.run(&mut |share| if on_progress(share) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        }));
    }

    /// Cancels the fit and discards its result.
    pub(super) fn stop(&mut self) {
        *self = Self::Idle;
    }

    /// Stores the result of the thread. Returns whether the thread ended without a result.
    pub(super) fn poll(&mut self) -> bool {
        let Self::Running(task) = self else { return false };
        let Some(result) = task.poll() else { return false };
        let failed = result.is_err();
        *self = result.ok().flatten().map_or(Self::Idle, |found| Self::Found(Box::new(found)));
        failed
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self, Self::Running(_))
    }

    pub(super) fn view(&self) -> MotionFitStatus<'_> {
        match self {
            Self::Idle => MotionFitStatus::Idle,
            Self::Running(task) => MotionFitStatus::Running(task.progress()),
            Self::Found(found) => MotionFitStatus::Found(found),
        }
    }
}
