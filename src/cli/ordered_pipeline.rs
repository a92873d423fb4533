//! Work on several threads whose results arrive in order.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use yuremono_sim::diagnostics::message;

/// The work of a pipeline at one time.
#[derive(Clone, Copy, Debug)]
pub(super) struct PipelineLimits {
    pub(super) threads: usize,
    /// Number of items in memory in addition to one per thread. Results in memory wait for the results of earlier items.
    pub(super) spare_items: usize,
}

impl PipelineLimits {
    /// Limits for items that fill the memory behind a slow disk, on all processor cores.
    pub(super) fn for_large_items() -> Self {
        Self { threads: available_threads(), spare_items: 1 }
    }

    /// Calls `produce` for each index on this thread, `work` on other threads, and `consume` in the order of the indices
    /// on this thread. The first error stops the pipeline.
    pub(super) fn run_in_order<T: Send, R: Send>(
        self,
        count: usize,
        mut produce: impl FnMut(usize) -> anyhow::Result<T>,
        work: impl Fn(T) -> anyhow::Result<R> + Sync,
        mut consume: impl FnMut(usize, R) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let threads = self.threads.min(count).max(1);
        let max_pending = threads.saturating_add(self.spare_items);
        let (jobs, waiting) = channel::<Job<T, R>>();
        let waiting = Mutex::new(waiting);
        let (waiting, work) = (&waiting, &work);
        thread::scope(|scope| {
            // The threads end when this sender is dropped, also after an error.
            let jobs = jobs;
            for _ in 0..threads {
                scope.spawn(move || run_jobs(waiting, work));
            }
            let mut pending: VecDeque<Receiver<anyhow::Result<R>>> = VecDeque::new();
            let mut consumed = 0;
            let mut consume_next = |pending: &mut VecDeque<Receiver<anyhow::Result<R>>>| {
                let Some(next) = pending.pop_front() else { return Ok(()) };
                // A thread that panics sends nothing.
                let Ok(result) = next.recv() else {
                    let stopped = message!("writing stopped because of an internal error; try again");
                    return Err(anyhow::Error::msg(stopped));
                };
                consumed += 1;
                consume(consumed - 1, result?)
            };
            for index in 0..count {
                if pending.len() >= max_pending {
                    consume_next(&mut pending)?;
                }
                let (reply, result) = channel();
                pending.push_back(result);
                // Sending cannot fail, because the receiver lives as long as this function.
                let _ = jobs.send(Job { item: produce(index)?, reply });
            }
            while !pending.is_empty() {
                consume_next(&mut pending)?;
            }
            Ok(())
        })
    }
}

/// Calls `work` for each item on `threads` threads. Returns the results in the order of the items.
pub(super) fn map_in_order<T: Sync, R: Send>(
    threads: usize,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> anyhow::Result<Vec<R>> {
    let mut results = Vec::with_capacity(items.len());
    let collect = |_, result| {
        results.push(result);
        Ok(())
    };
    let limits = PipelineLimits { threads, spare_items: items.len() };
    limits.run_in_order(items.len(), |index| Ok(&items[index]), |item| Ok(work(item)), collect)?;
    Ok(results)
}

/// The number of threads that the processor runs at the same time.
pub(super) fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

struct Job<T, R> {
    item: T,
    reply: Sender<anyhow::Result<R>>,
}

fn run_jobs<T, R>(waiting: &Mutex<Receiver<Job<T, R>>>, work: &impl Fn(T) -> anyhow::Result<R>) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { item, reply }) = job else { return };
        // Sending fails if an error has ended the pipeline.
        let _ = reply.send(work(item));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn results_arrive_in_order_although_later_items_finish_first() {
        let in_memory = AtomicUsize::new(0);
        let most = AtomicUsize::new(0);
        let mut order = Vec::new();
        let produce = |index: usize| {
            most.fetch_max(in_memory.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            Ok(index)
        };
        let work = |index: usize| {
            thread::sleep(Duration::from_millis(if index.is_multiple_of(3) { 8 } else { 1 }));
            Ok(index * 10)
        };
        let consume = |index: usize, result: usize| {
            in_memory.fetch_sub(1, Ordering::SeqCst);
            order.push((index, result));
            Ok(())
        };
        PipelineLimits::for_large_items().run_in_order(40, produce, work, consume).expect("no error");
        assert_eq!(order, (0..40).map(|index| (index, index * 10)).collect::<Vec<_>>());
        assert!(most.into_inner() <= available_threads() + 1, "items are bounded");
    }

    #[test]
    fn the_first_error_ends_the_pipeline() {
        let failed =
            |at: usize| move |index: usize| if index == at { anyhow::bail!("item {index}") } else { Ok(index) };
        let ok = |index: usize| Ok(index);
        let limits = PipelineLimits::for_large_items();
        let mut consumed = Vec::new();
        let mut consume = |index: usize, _| {
            consumed.push(index);
            Ok(())
        };
        let error = limits.run_in_order(20, failed(7), ok, &mut consume).expect_err("produce fails");
        assert_eq!(error.to_string(), "item 7");
        let error = limits.run_in_order(20, ok, failed(5), &mut consume).expect_err("work fails");
        assert_eq!(error.to_string(), "item 5");
        assert!(consumed.ends_with(&[0, 1, 2, 3, 4]), "everything before the error is consumed: {consumed:?}");
        let consume = |index: usize, _| if index == 3 { anyhow::bail!("result {index}") } else { Ok(()) };
        let error = limits.run_in_order(20, ok, ok, consume).expect_err("consume fails");
        assert_eq!(error.to_string(), "result 3");
        limits.run_in_order(0, ok, ok, |_, _| anyhow::bail!("nothing to consume")).expect("nothing to do");
    }
}
