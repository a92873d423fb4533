//! Flushes a file to the disk on a thread. A busy disk can take seconds, for which the next line must not wait: after a
//! crash of the program, the system still writes lines that are not flushed yet.

use std::fs::File;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// The thread, which starts with the first request and ends when this value is dropped.
#[derive(Debug, Default)]
pub(super) struct BackgroundFlush {
    files: Option<Sender<File>>,
    /// The error of the last flush.
    error: Arc<Mutex<Option<io::Error>>>,
}

impl BackgroundFlush {
    /// Requests a flush. Returns the error of an earlier flush.
    pub(super) fn request(&mut self, file: &File) -> io::Result<()> {
        if let Some(error) = self.error.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error);
        }
        let file = file.try_clone()?;
        let files = self.files.get_or_insert_with(|| {
            let (sender, files) = channel();
            let error = Arc::clone(&self.error);
            std::thread::spawn(move || flush_files(&files, &error));
            sender
        });
        // Sending fails only if the thread panicked, which was printed.
        files.send(file).ok();
        Ok(())
    }
}

fn flush_files(files: &Receiver<File>, error: &Mutex<Option<io::Error>>) {
    while let Ok(file) = files.recv() {
        // One flush is enough for all lines that were written in the meantime.
        let file = files.try_iter().last().unwrap_or(file);
        if let Err(why) = file.sync_data() {
            *error.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
        }
    }
}
