//! Work on many files on all processor cores. Results and written files are those of one thread.

use super::ordered_pipeline::{PipelineLimits, available_threads};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use yuremono_sim::diagnostics::{MessageText, message};

/// Largest value of `--jobs`.
const MAX_JOBS: usize = 256;
/// Largest sum of the sizes of files that are in memory together. A single file can be larger. A decoded character takes
/// about ten times the size of its file.
const MAX_BYTES_IN_WORK: u64 = 256 << 20;

/// The option for commands that read many files.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct JobsOption {
    /// Files that are processed at the same time, 1 to 256. Default: one per processor core. The output is the same for every
    /// number.
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<usize>,
}

fn parse_jobs(text: &str) -> Result<usize, MessageText> {
    let jobs = text.parse().ok().filter(|jobs| (1..=MAX_JOBS).contains(jobs));
    jobs.ok_or_else(|| message!("expected {low} to {high}", low = 1, high = MAX_JOBS))
}

impl JobsOption {
    /// One file after another.
    pub(super) const ONE: Self = Self { jobs: Some(1) };

    fn threads(self) -> usize {
        self.jobs.unwrap_or_else(available_threads)
    }

    /// The number of threads that work on one of `files` files can use, so that all files together use all threads.
    pub(super) fn threads_per_file(self, files: usize) -> usize {
        (self.threads() / files.max(1)).max(1)
    }

    /// Calls `work` for each file. Returns the results in the order of the files. An error of one file is part of its
    /// result, so that the other files are processed too.
    pub(super) fn map_files<T: Sync, R: Send>(
        self,
        files: &[T],
        path_of: impl Fn(&T) -> &Path,
        work: impl Fn(&T, FileTurn) -> R + Sync,
    ) -> anyhow::Result<Vec<R>> {
        let queue = Arc::new(FileQueue::default());
        let start = |index: usize| {
            let file = &files[index];
            // A file that cannot be read needs no memory.
            let bytes = path_of(file).metadata().map_or(0, |metadata| metadata.len());
            Ok((file, queue.wait_for_memory(index, bytes)))
        };
        let mut results = Vec::with_capacity(files.len());
        let collect = |_, result| {
            results.push(result);
            Ok(())
        };
        let work = |(file, in_work): (&T, FileInWork)| Ok(work(file, in_work.turn.clone()));
        let limits = PipelineLimits { threads: self.threads(), spare_items: files.len() };
        limits.run_in_order(files.len(), start, work, collect)?;
        Ok(results)
    }
}

/// The files of a command that are in work or finished.
#[derive(Debug, Default)]
struct FileQueue {
    state: Mutex<FileQueueState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct FileQueueState {
    bytes_in_work: u64,
    /// The number of finished files at the start of the list.
    finished: usize,
    /// Finished files after the first unfinished file.
    finished_early: BTreeSet<usize>,
}

impl FileQueue {
    fn wait_while(&self, condition: impl Fn(&FileQueueState) -> bool) -> MutexGuard<'_, FileQueueState> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.changed.wait_while(state, |state| condition(state)).unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the work on a file once there is memory for it. Files start in the order of their indices.
    fn wait_for_memory(self: &Arc<Self>, index: usize, bytes: u64) -> FileInWork {
        let is_full =
            |state: &FileQueueState| state.bytes_in_work > 0 && state.bytes_in_work + bytes > MAX_BYTES_IN_WORK;
        self.wait_while(is_full).bytes_in_work += bytes;
        FileInWork { turn: FileTurn { queue: Arc::clone(self), index }, bytes }
    }
}

/// A file in work. Dropping this value finishes the file, also after a panic.
#[derive(Debug)]
struct FileInWork {
    turn: FileTurn,
    bytes: u64,
}

impl Drop for FileInWork {
    fn drop(&mut self) {
        let queue = &self.turn.queue;
        let mut guard = queue.wait_while(|_| false);
        let state = &mut *guard;
        state.bytes_in_work -= self.bytes;
        state.finished_early.insert(self.turn.index);
        while state.finished_early.remove(&state.finished) {
            state.finished += 1;
        }
        queue.changed.notify_all();
    }
}

/// The place of a file among the files of a command.
#[derive(Clone, Debug)]
pub(super) struct FileTurn {
    queue: Arc<FileQueue>,
    index: usize,
}

impl FileTurn {
    /// Waits until all earlier files are finished. Work that depends on what earlier files wrote calls this function
    /// first. There is no deadlock, because files start in order and the first unfinished file never waits.
    pub(super) fn wait_for_earlier_files(&self) {
        drop(self.queue.wait_while(|state| state.finished < self.index));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::time::Duration;

    const TWO_JOBS: JobsOption = JobsOption { jobs: Some(2) };

    fn no_path(_: &u64) -> &Path {
        Path::new("")
    }

    #[test]
    fn results_have_the_order_of_the_files_whatever_their_duration() {
        let milliseconds: Vec<u64> = (0..30).map(|i| if i % 7 == 0 { 20 } else { i % 3 }).collect();
        for jobs in [1, 2, 5, 64] {
            let work = |ms: &u64, turn: FileTurn| {
                std::thread::sleep(Duration::from_millis(*ms));
                turn.index
            };
            let order = JobsOption { jobs: Some(jobs) }.map_files(&milliseconds, no_path, work).expect("no error");
            assert_eq!(order, (0..30).collect::<Vec<_>>(), "{jobs} jobs");
        }
    }

    #[test]
    fn work_after_waiting_runs_in_the_order_of_the_files() {
        let milliseconds: Vec<u64> = (0..20).map(|i| 19 - i).collect();
        let (order, at_once, most) = (Mutex::new(Vec::new()), AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |ms: &u64, turn: FileTurn| {
            most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(*ms));
            turn.wait_for_earlier_files();
            order.lock().expect("no panic").push(turn.index);
            at_once.fetch_sub(1, Ordering::SeqCst);
        };
        JobsOption { jobs: Some(4) }.map_files(&milliseconds, no_path, work).expect("no error");
        assert_eq!(order.into_inner().expect("no panic"), (0..20).collect::<Vec<_>>());
        assert!((2..=4).contains(&most.into_inner()), "files are processed at the same time, at most four");
    }

    #[test]
    fn large_files_are_not_in_memory_together() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let megabytes: [u64; 9] = [1, 200, 60, 100, 300, 5, 260, 250, 3];
        let files: Vec<PathBuf> = (0..megabytes.len()).map(|i| folder.path().join(i.to_string())).collect();
        for (file, size) in files.iter().zip(megabytes) {
            // A sparse file takes no space on the disk.
            std::fs::File::create(file).and_then(|file| file.set_len(size << 20)).expect("a file");
        }
        let (in_memory, in_work) = (AtomicU64::new(0), AtomicU64::new(0));
        let work = |file: &PathBuf, _| {
            let size = file.metadata().expect("a file").len();
            let bytes = in_memory.fetch_add(size, Ordering::SeqCst) + size;
            let files = in_work.fetch_add(1, Ordering::SeqCst) + 1;
            std::thread::sleep(Duration::from_millis(5));
            in_work.fetch_sub(1, Ordering::SeqCst);
            in_memory.fetch_sub(size, Ordering::SeqCst);
            bytes <= MAX_BYTES_IN_WORK || files == 1
        };
        let fits = JobsOption { jobs: Some(8) }.map_files(&files, PathBuf::as_path, work).expect("no error");
        assert_eq!(fits, [true; 9], "a file above the limit is alone in memory");
    }

    #[test]
    fn all_files_together_use_all_threads() {
        let threads = [1, 2, 3].map(|files| TWO_JOBS.threads_per_file(files));
        assert_eq!(threads, [2, 1, 1]);
    }

    #[test]
    fn the_number_of_jobs_has_limits() {
        assert_eq!(["1", "256"].map(|text| parse_jobs(text).ok()), [Some(1), Some(256)]);
        assert!(["0", "257", "-1", "1.5", "two", ""].iter().all(|text| parse_jobs(text).is_err()));
    }
}
