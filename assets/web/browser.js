// What the program asks of the browser: files, storage, locks, workers. Each function does one thing.

const STORED = 'yuremono:';
const heldElsewhere = new Set();
/** Handles of the files that the artist chose for saving, by path. */
const handles = new Map();

export function userAgent() {
  return navigator.userAgent;
}

/** Reports to the page whether the program runs. */
export function started() {
  globalThis.yuremonoStarted?.();
}

export function failed(english, japanese) {
  globalThis.yuremonoFailed?.(english, japanese);
}

/** Whether this is the main thread. */
export function isPage() {
  return typeof document !== 'undefined';
}

// Files

async function contents(files) {
  return Promise.all([...files].map(async file => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
}

/** Lets the artist choose files. `done` gets a list of names and bytes, which is empty after a cancel. */
export function chooseFiles(extensions, done) {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.accept = extensions;
  input.style.display = 'none';
  const finish = async files => {
    input.remove();
    done(await contents(files));
  };
  input.addEventListener('change', () => finish(input.files));
  input.addEventListener('cancel', () => finish([]));
  document.body.append(input);
  input.click();
}

/** Lets the artist choose where a file is saved. `done` gets the name, or null after a cancel. */
export function chooseTarget(name, done) {
  if (!globalThis.showSaveFilePicker) {
    done(name);
    return;
  }
  globalThis.showSaveFilePicker({ suggestedName: name }).then(
    handle => {
      handles.set('/' + handle.name, handle);
      done(handle.name);
    },
    // Without permission for a dialog, the file becomes a download.
    error => done(error.name === 'AbortError' ? null : name),
  );
}

/** Saves into the chosen file, or as a download. `failed` gets the reason. */
export async function save(path, bytes, failed) {
  try {
    const handle = handles.get(path);
    if (handle) {
      const writable = await handle.createWritable();
      await writable.write(bytes);
      await writable.close();
      return;
    }
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
    link.download = path.split('/').pop();
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  } catch (error) {
    failed(String(error.message ?? error));
  }
}

// Storage

/** Returns the stored files as a list of paths and texts. */
export function storedFiles() {
  try {
    return Object.keys(localStorage).filter(key => key.startsWith(STORED))
      .map(key => [key.slice(STORED.length), localStorage.getItem(key)]);
  } catch {
    return [];
  }
}

/** Stores a text, or deletes it. Returns the name of the error, or an empty text. */
export function store(path, text) {
  try {
    if (text === undefined) localStorage.removeItem(STORED + path);
    else localStorage.setItem(STORED + path, text);
    return '';
  } catch (error) {
    return error.name;
  }
}

// Locks

/** Finds the locks of other pages. */
export async function findLocks() {
  const { held } = await (navigator.locks?.query() ?? { held: [] });
  for (const { name } of held) heldElsewhere.add(name);
}

export function isLockedElsewhere(path) {
  return heldElsewhere.has(STORED + path);
}

/** Locks a path until the page is closed. */
export function lock(path) {
  navigator.locks?.request(STORED + path, { ifAvailable: true }, lock => lock && new Promise(() => {}));
}

// Workers

/** Starts a worker with the memory of the page. */
export function startWorker(module, memory, idle, crashed) {
  const worker = new Worker(new URL('worker.js', document.baseURI), { type: 'module' });
  worker.onmessage = () => idle();
  worker.onerror = () => crashed();
  worker.postMessage({ module, memory });
  return worker;
}

export function runTask(worker, task) {
  worker.postMessage({ task });
}

/** Asks before a page with unsaved changes is closed. */
let unsaved = false;
export function setUnsaved(value) {
  unsaved = value;
}
if (isPage()) {
  addEventListener('beforeunload', event => {
    if (unsaved) event.preventDefault();
  });
}
