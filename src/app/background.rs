//! Work on other threads: loading files, fitting the parameters of converted chains to a motion, bakes, and the search for
//! clipping.

use crate::parallel::on_all_cores;
use crate::ui::{BakeResult, ClippingResult, TaskStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvError, TryRecvError, channel};
use yuremono_model::feel::convert::motion_fit::MotionFitResult;
use yuremono_session::{
    BakeError, BakeJob, ClippingError, ClippingJob, DoctorJob, Motion, MotionFindings, MotionFitJob,
};
use yuremono_sim::diagnostics::{Diagnostic, Location};

/// Work on another thread. Dropping this value cancels the work.
#[derive(Debug)]
pub(super) struct BackgroundTask<T> {
    /// Progress from 0 to 1, as the bits of an `f32`.
    progress: Arc<AtomicU32>,
    cancelled: Arc<AtomicBool>,
    result: Receiver<T>,
    /// The worker of the page, which drops nothing when it crashes.
    #[cfg(target_arch = "wasm32")]
    handle: super::browser::workers::TaskHandle,
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
        let run = move || {
            let on_progress = |share: f32| {
                thread_progress.store(share.to_bits(), Ordering::Relaxed);
                !thread_cancelled.load(Ordering::Relaxed)
            };
            // Sending fails if the window was closed or the work was cancelled.
            let _ = sender.send(work(&on_progress));
        };
        #[cfg(not(target_arch = "wasm32"))]
        {
            let ctx = ctx.clone();
            std::thread::spawn(move || {
                run();
                ctx.request_repaint();
            });
            Self { progress, cancelled, result }
        }
        #[cfg(target_arch = "wasm32")]
        {
            // The page is drawn while work runs. A worker must not call egui, whose locks can make the page wait.
            ctx.request_repaint();
            Self { progress, cancelled, result, handle: super::browser::workers::spawn(run) }
        }
    }

    /// Returns `None` while the thread works, and an error if the thread ended without a result.
    pub(super) fn poll(&self) -> Option<Result<T, RecvError>> {
        match self.result.try_recv() {
            Ok(result) => Some(Ok(result)),
            #[cfg(target_arch = "wasm32")]
            Err(TryRecvError::Empty) if self.handle.has_crashed() => Some(Err(RecvError)),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(RecvError)),
        }
    }
}

impl<T> BackgroundTask<T> {
    /// Cancels the work, and waits until its thread has ended it. A page does not wait.
    pub(super) fn cancel_and_wait(self) {
        self.cancelled.store(true, Ordering::Relaxed);
        #[cfg(not(target_arch = "wasm32"))]
        {
            // The work of a thread that panicked has ended, too.
            let _ = self.result.recv();
        }
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

/// Work on another thread, or the result of the last work.
#[derive(Debug, Default)]
pub(super) enum TaskState<T> {
    #[default]
    Idle,
    /// The result is `None` if the work was cancelled.
    Running(BackgroundTask<Option<T>>),
    Finished(Box<T>),
}

impl TaskState<MotionFitResult> {
    /// Starts a fit on a thread, and cancels a running fit.
    pub(super) fn start_fit(&mut self, job: MotionFitJob, ctx: &egui::Context) {
        *self = Self::Running(BackgroundTask::start(ctx, move |on_progress| job.run(on_all_cores(on_progress))));
    }
}

impl TaskState<BakeResult> {
    /// Starts a bake on a thread, and cancels a running bake. `place` is the character file of the error.
    pub(super) fn start_bake(&mut self, mut job: BakeJob, place: Location, ctx: &egui::Context) {
        *self = Self::Running(BackgroundTask::start(ctx, move |on_progress| {
            let failed = |error: BakeError| vec![Diagnostic::error(place, error.message())];
            job.run(&on_progress).map(|baked| baked.map(Arc::new).map_err(failed))
        }));
    }

    /// Stores why there is no result.
    pub(super) fn fail(&mut self, diagnostics: Vec<Diagnostic>) {
        *self = Self::Finished(Box::new(Err(diagnostics)));
    }
}

impl TaskState<ClippingResult> {
    /// Starts the search on a thread, and cancels a running search.
    pub(super) fn start_clipping(
        &mut self,
        job: Result<ClippingJob, ClippingError>,
        motions: Vec<Motion>,
        ctx: &egui::Context,
    ) {
        *self = match job {
            Ok(job) => Self::Running(BackgroundTask::start(ctx, move |on_progress| {
                job.find(&motions, on_all_cores(on_progress)).map(|findings| Ok(Arc::new(findings)))
            })),
            Err(error) => Self::Finished(Box::new(Err(error.message()))),
        };
    }
}

impl TaskState<MotionFindings> {
    /// Starts the motions of the Doctor on a thread, and cancels running motions.
    pub(super) fn start_doctor(&mut self, job: DoctorJob, motions: Vec<Motion>, ctx: &egui::Context) {
        *self = Self::Running(BackgroundTask::start(ctx, move |on_progress| job.run(&motions, &on_progress)));
    }
}

impl<T: Send + 'static> TaskState<T> {
    /// Cancels the work and discards its result.
    pub(super) fn stop(&mut self) {
        *self = Self::Idle;
    }

    /// Stores the result of the thread. Returns whether the thread ended without a result.
    pub(super) fn poll(&mut self) -> bool {
        let Self::Running(task) = self else { return false };
        let Some(result) = task.poll() else { return false };
        let failed = result.is_err();
        *self = result.ok().flatten().map_or(Self::Idle, |found| Self::Finished(Box::new(found)));
        failed
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self, Self::Running(_))
    }

    pub(super) fn status(&self) -> TaskStatus<'_, T> {
        match self {
            Self::Idle => TaskStatus::Idle,
            Self::Running(task) => TaskStatus::Running(task.progress()),
            Self::Finished(result) => TaskStatus::Finished(result),
        }
    }
}
