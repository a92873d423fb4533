//! The thread that searches numbers with which chains under another solver move as before.

use crate::feel::convert::motion_fit::MotionFitResult;
use crate::session::MotionFitJob;
use crate::ui::MotionFitStatus;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// A search, or what the last one found.
#[derive(Debug, Default)]
pub(super) enum MotionFitTask {
    #[default]
    Idle,
    Running {
        progress: Arc<AtomicU32>,
        cancelled: Arc<AtomicBool>,
        result: Receiver<Option<MotionFitResult>>,
    },
    Found(Box<MotionFitResult>),
}

/// What a look at the thread brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MotionFitPoll {
    Nothing,
    Found,
    /// The thread ended without an answer.
    Failed,
}

impl MotionFitTask {
    /// Searches on a thread; a search under way is dropped.
    pub(super) fn start(&mut self, job: MotionFitJob, ctx: &egui::Context) {
        self.stop();
        let (progress, cancelled) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
        let (sender, result) = channel();
        let (thread_progress, thread_cancelled) = (Arc::clone(&progress), Arc::clone(&cancelled));
        let thread_ctx = ctx.clone();
        std::thread::spawn(move || {
            let found = job.run(&mut |share| {
                thread_progress.store(share.to_bits(), Ordering::Relaxed);
                if thread_cancelled.load(Ordering::Relaxed) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            // The window may be gone or may have asked for something else by now.
            let _ = sender.send(found);
            thread_ctx.request_repaint();
        });
        *self = Self::Running { progress, cancelled, result };
    }

    /// Stops searching, and forgets what was found.
    pub(super) fn stop(&mut self) {
        if let Self::Running { cancelled, .. } = self {
            cancelled.store(true, Ordering::Relaxed);
        }
        *self = Self::Idle;
    }

    /// Takes what the thread has found.
    pub(super) fn poll(&mut self) -> MotionFitPoll {
        let Self::Running { result, .. } = self else { return MotionFitPoll::Nothing };
        let (next, arrival) = match result.try_recv() {
            Err(TryRecvError::Empty) => return MotionFitPoll::Nothing,
            Ok(Some(found)) => (Self::Found(Box::new(found)), MotionFitPoll::Found),
            Ok(None) => (Self::Idle, MotionFitPoll::Nothing),
            Err(TryRecvError::Disconnected) => (Self::Idle, MotionFitPoll::Failed),
        };
        *self = next;
        arrival
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self, Self::Running { .. })
    }

    pub(super) fn view(&self) -> MotionFitStatus<'_> {
        match self {
            Self::Idle => MotionFitStatus::Idle,
            Self::Running { progress, .. } => {
                MotionFitStatus::Running(f32::from_bits(progress.load(Ordering::Relaxed)))
            }
            Self::Found(found) => MotionFitStatus::Found(found),
        }
    }
}
