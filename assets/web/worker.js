// Runs tasks on another thread with the memory of the page. The first message contains the program.
import init, { run_task } from './yuremono.js';

let ready;
self.onmessage = async ({ data }) => {
  if (data.module) {
    ready = init({ module_or_path: data.module, memory: data.memory });
    return;
  }
  try {
    await ready;
    run_task(data.task);
    self.postMessage(null);
  } catch (error) {
    self.postMessage(String(error?.stack ?? error));
  }
};
