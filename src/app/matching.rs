//! The thread that searches numbers with which chains under another solver move as before.

use crate::feel::convert::refine::Matched;
use crate::session::MatchJob;
use crate::ui::MatchView;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// A search, or what the last one found.
#[derive(Debug, Default)]
pub(super) enum Matching {
    #[default]
    None,
    Running {
        progress: Arc<AtomicU32>,
        cancelled: Arc<AtomicBool>,
        result: Receiver<Option<Matched>>,
    },
    Found(Box<Matched>),
}

/// What a look at the thread brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    Nothing,
    Found,
    /// The thread ended without an answer.
    Lost,
}

impl Matching {
    /// Searches on a thread; a search under way is dropped.
    pub(super) fn start(&mut self, job: MatchJob, ctx: &egui::Context) {
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
        *self = Self::None;
    }

    /// Takes what the thread has found.
    pub(super) fn arrive(&mut self) -> Arrival {
        let Self::Running { result, .. } = self else { return Arrival::Nothing };
        let (next, arrival) = match result.try_recv() {
            Err(TryRecvError::Empty) => return Arrival::Nothing,
            Ok(Some(found)) => (Self::Found(Box::new(found)), Arrival::Found),
            Ok(None) => (Self::None, Arrival::Nothing),
            Err(TryRecvError::Disconnected) => (Self::None, Arrival::Lost),
        };
        *self = next;
        arrival
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self, Self::Running { .. })
    }

    pub(super) fn view(&self) -> MatchView<'_> {
        match self {
            Self::None => MatchView::None,
            Self::Running { progress, .. } => MatchView::Running(f32::from_bits(progress.load(Ordering::Relaxed))),
            Self::Found(found) => MatchView::Found(found),
        }
    }
}
