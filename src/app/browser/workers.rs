//! Threads of a page: workers that share its memory. A worker that has finished a task waits for the next one.

use super::bindings;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use yuremono_format::fs::lock;

type Task = Box<dyn FnOnce() + Send>;

/// Tasks that a worker has not started yet, by number.
static TASKS: Mutex<(u32, BTreeMap<u32, Task>)> = Mutex::new((0, BTreeMap::new()));

thread_local! {
    /// The idle workers of the page.
    static IDLE: RefCell<Vec<Arc<Worker>>> = const { RefCell::new(Vec::new()) };
}

struct Worker {
    handle: RefCell<JsValue>,
    has_crashed: Arc<AtomicBool>,
}

/// A task that runs or has run.
#[derive(Debug)]
pub(crate) struct TaskHandle {
    has_crashed: Arc<AtomicBool>,
}

impl TaskHandle {
    /// Whether the task ended with a panic.
    pub(crate) fn has_crashed(&self) -> bool {
        self.has_crashed.load(Ordering::Relaxed)
    }
}

/// Runs a task in a worker. Must be called on the main thread.
pub(crate) fn spawn(task: impl FnOnce() + Send + 'static) -> TaskHandle {
    let task: Task = Box::new(task);
    let number = {
        let mut tasks = lock(&TASKS);
        tasks.0 += 1;
        let number = tasks.0;
        tasks.1.insert(number, task);
        number
    };
    let worker = IDLE.with_borrow_mut(Vec::pop).unwrap_or_else(start_worker);
    bindings::run_task(&worker.handle.borrow(), number);
    TaskHandle { has_crashed: Arc::clone(&worker.has_crashed) }
}

#[expect(clippy::arc_with_non_send_sync, reason = "the callbacks of a worker run on the main thread")]
fn start_worker() -> Arc<Worker> {
    let worker =
        Arc::new(Worker { handle: RefCell::new(JsValue::NULL), has_crashed: Arc::new(AtomicBool::new(false)) });
    let (idle_worker, has_crashed) = (Arc::clone(&worker), Arc::clone(&worker.has_crashed));
    // The callbacks exist as long as the worker, which is as long as the page.
    let idle = Closure::<dyn FnMut()>::new(move || IDLE.with_borrow_mut(|idle| idle.push(Arc::clone(&idle_worker))));
    let crashed = Closure::<dyn FnMut()>::new(move || has_crashed.store(true, Ordering::Relaxed));
    let [idle, crashed] = [idle, crashed].map(|callback| callback.into_js_value());
    let handle = bindings::start_worker(&wasm_bindgen::module(), &wasm_bindgen::memory(), &idle, &crashed);
    worker.handle.replace(handle.unchecked_into());
    worker
}

/// Runs a task in the worker that calls this function.
#[wasm_bindgen]
pub fn run_task(number: u32) {
    let task = lock(&TASKS).1.remove(&number);
    if let Some(task) = task {
        task();
    }
}
