//! Flushes a file to the disk on a thread. A busy disk can take seconds, for which the next line must not wait: after a
//! crash of Yuremono, the system still writes lines that are not flushed yet.

use crate::fs::File;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The thread, which starts with the first request and ends when this value is dropped.
#[derive(Debug, Default)]
pub(super) struct BackgroundFlush {
    files: Option<Sender<File>>,
    state: Arc<Mutex<FlushState>>,
}

#[derive(Debug, Default)]
struct FlushState {
    /// Number of requests that are not complete.
    pending: usize,
    /// The error of the last failed flush, until it is returned.
    error: Option<io::Error>,
}

impl BackgroundFlush {
    /// Requests a flush.
    pub(super) fn request(&mut self, file: &File) -> io::Result<()> {
        if cfg!(target_arch = "wasm32") {
            // The file system in memory has stored the line already.
            return Ok(());
        }
        let file = file.try_clone()?;
        let files = self.files.get_or_insert_with(|| {
            let (sender, files) = channel();
            let state = Arc::clone(&self.state);
            std::thread::spawn(move || flush_files(&files, &state));
            sender
        });
        lock(&self.state).pending += 1;
        files.send(file).map_err(io::Error::other)
    }

    /// Returns whether all requests are complete. Returns the error of a failed flush once.
    pub(super) fn poll(&self) -> io::Result<bool> {
        let mut state = lock(&self.state);
        state.error.take().map_or(Ok(state.pending == 0), Err)
    }
}

fn flush_files(files: &Receiver<File>, state: &Mutex<FlushState>) {
    while let Ok(first) = files.recv() {
        // One flush is enough for all lines that were written in the meantime.
        let later: Vec<File> = files.try_iter().collect();
        let result = later.last().unwrap_or(&first).sync_all();
        let mut state = lock(state);
        state.pending -= 1 + later.len();
        if let Err(error) = result {
            state.error = Some(error);
        }
    }
}

fn lock(state: &Mutex<FlushState>) -> MutexGuard<'_, FlushState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
