// What the program asks of the browser: files, storage, locks, workers. Each function does one thing.

const STORED = 'yuremono:';
const heldElsewhere = new Set();
/** Handles of the files that the artist chose for saving, by path. */
const handles = new Map();
let runningSaves = 0;
let unsaved = false;
/** A page that has not started after this time, in milliseconds, does not hold up the next one. */
const LONGEST_START_MS = 20000;
let endHeldStart = () => {};

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

/** Keeps the browser from running its own actions for keys, such as "ctrl+shift+s". */
export function reserveKeys(names) {
  addEventListener('keydown', event => {
    const modifiers = (event.ctrlKey || event.metaKey ? 'ctrl+' : '') + (event.shiftKey ? 'shift+' : '');
    if (names.includes(modifiers + event.key.toLowerCase())) event.preventDefault();
  }, { capture: true });
}

// Files

async function contents(files) {
  return Promise.all([...files].map(async file => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
}

/** Lets the artist choose files. `done` gets a list of names and bytes, which is empty after a cancel, and an error. */
export function chooseFiles(extensions, done) {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.accept = extensions;
  input.style.display = 'none';
  const finish = async files => {
    input.remove();
    const [read, error] = await contents(files).then(read => [read, ''], error => [[], String(error?.message ?? error)]);
    done(read, error);
  };
  input.addEventListener('change', () => finish(input.files), { once: true });
  input.addEventListener('cancel', () => finish([]), { once: true });
  document.body.append(input);
  input.click();
}

/**
 * Lets the artist choose where a file is saved. `done` gets the name, or null after a cancel. The browser empties a chosen
 * file at once, so the file must be written at once.
 */
export function chooseTarget(name, extension, done) {
  if (!globalThis.showSaveFilePicker) {
    done(name);
    return;
  }
  globalThis.showSaveFilePicker({ suggestedName: name, types: [{ accept: { 'application/octet-stream': [extension] } }] }).then(
    handle => {
      const chosen = handle.name.endsWith(extension) ? handle.name : handle.name + extension;
      handles.set('/' + chosen, handle);
      done(chosen);
    },
    // Without permission for a dialog, the file becomes a download.
    error => done(error.name === 'AbortError' ? null : name),
  );
}

/** Saves into the chosen file, or as a download. `failed` gets the reason. */
export async function save(path, bytes, failed) {
  runningSaves += 1;
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
    failed(String(error?.message ?? error));
  } finally {
    runningSaves -= 1;
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

/** Waits until no other page starts, so that each recovery is offered by one page. `endStart` lets the next page start. */
export function beginStart() {
  return new Promise(resolve => {
    const hold = () => new Promise(end => {
      endHeldStart = end;
      setTimeout(end, LONGEST_START_MS);
      resolve();
    });
    if (navigator.locks) navigator.locks.request(STORED + 'start', hold).catch(() => resolve());
    else resolve();
  });
}

export function endStart() {
  endHeldStart();
}

/** Finds the locks of other pages. */
export async function findLocks() {
  try {
    const { held } = await (navigator.locks?.query() ?? { held: [] });
    for (const { name } of held) heldElsewhere.add(name);
  } catch (error) {
    console.warn(error);
  }
}

export function isLockedElsewhere(path) {
  return heldElsewhere.has(STORED + path);
}

/** Locks a path until the page is closed. */
export function lock(path) {
  navigator.locks?.request(STORED + path, { ifAvailable: true }, lock => lock && new Promise(() => {})).catch(console.warn);
}

// Files of the artist, which the recovery after a crash needs

/** Names this page among the pages that were open. */
const PAGE = globalThis.crypto.randomUUID();
let opening;

/** Returns a transaction for the files, whose keys are pairs of a page and a path. */
async function fileTransaction(mode) {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('yuremono', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('files');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return (await opening).transaction('files', mode);
}

function finished(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

/** Keeps a file until the next page starts after this one has ended. `failed` gets the reason. */
export async function keepFile(path, bytes, failed) {
  try {
    const transaction = await fileTransaction('readwrite');
    transaction.objectStore('files').put(bytes, [PAGE, path]);
    await finished(transaction);
  } catch (error) {
    failed(String(error?.message ?? error));
  }
}

/** Removes the files of ended pages. Returns them as a list of paths and bytes if they are wanted. */
export async function takeFilesOfEndedPages(wanted) {
  lock(PAGE);
  const taken = [];
  try {
    const transaction = await fileTransaction('readwrite');
    const files = transaction.objectStore('files');
    files.openCursor().onsuccess = ({ target: { result: cursor } }) => {
      if (!cursor) return;
      const [page, path] = cursor.key;
      if (page !== PAGE && !isLockedElsewhere(page)) {
        if (wanted) {
          taken.push([path, cursor.value]);
          files.put(cursor.value, [PAGE, path]);
        }
        cursor.delete();
      }
      cursor.continue();
    };
    await finished(transaction);
  } catch (error) {
    console.warn(error);
  }
  return taken;
}

// Workers

/** Starts a worker with the memory of the page. */
export function startWorker(module, memory, idle, crashed) {
  const worker = new Worker(new URL('worker.js', document.baseURI), { type: 'module' });
  const fail = error => {
    console.warn(error);
    crashed();
  };
  worker.onmessage = ({ data: error }) => error === null ? idle() : fail(error);
  worker.onerror = event => fail(event.message);
  worker.postMessage({ module, memory });
  return worker;
}

export function runTask(worker, task) {
  worker.postMessage({ task });
}

// Closing

/** Asks before the page is closed while the value is true. */
export function setUnsaved(value) {
  unsaved = value;
}
if (isPage()) {
  addEventListener('beforeunload', event => {
    if (unsaved || runningSaves > 0) event.preventDefault();
  });
}
