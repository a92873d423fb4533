// The page in headless Chromium.
//   node tests/web/page.mjs BROWSER PAGE PICTURES PROGRAM
// PAGE is the folder that .ci/web.sh builds, PICTURES a folder for screenshots, PROGRAM the desktop program. Does what the
// quick start of the README does, on a server that sends no headers for isolation: opens the bundled character, drags its
// head, tunes, imports a CSV, saves a CSV, a VRM, a baked motion and a clip. Opens a dropped file, ends the page in the middle
// of work, and recovers the changes. Types Japanese. The written files must be equal to those of the desktop program, and no
// request may leave the page after loading.
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';

const require = createRequire(join(process.env.NODE_PATH ?? '.', 'package.json'));
const { chromium } = require('playwright-core');

const [executablePath, folder, pictures, program] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'yuremono-page-'));
const sample = resolve('assets/sample.vrm');

// A server without the headers for isolation, as most hosts are.
const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm', '.svg': 'image/svg+xml' };
const server = createServer((request, response) => {
  const path = join(folder, request.url === '/' ? 'index.html' : decodeURIComponent(request.url.split('?')[0]));
  try {
    response.writeHead(200, { 'Content-Type': types[extname(path)] ?? 'application/octet-stream', 'Content-Length': statSync(path).size });
    createReadStream(path).pipe(response);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise(done => server.listen(0, '127.0.0.1', done));
const address = `http://127.0.0.1:${server.address().port}/`;

let failures = 0;
function check(holds, text) {
  console.log(`${holds ? 'ok' : 'FAILED'}: ${text}`);
  if (!holds) failures += 1;
}

/** Starts a browser with an empty storage of its own. */
const launch = name => chromium.launchPersistentContext(join(work, name), {
  executablePath,
  viewport: { width: 1280, height: 800 },
  acceptDownloads: true,
  args: ['--no-sandbox', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});

const requests = [];
const pause = ms => new Promise(done => setTimeout(done, ms));

/** Opens the page, runs a script in it before all others, and waits for the first frame. */
async function open(script = () => {}) {
  const page = await browser.newPage();
  await page.addInitScript(script);
  page.on('console', message => { if (message.type() === 'error') console.log(`console: ${message.text()}`); });
  page.on('pageerror', error => check(false, `the page has no errors: ${error}`));
  // Headless Chromium cannot answer a dialog for saving, so that files become downloads.
  await page.addInitScript(() => { delete globalThis.showSaveFilePicker; });
  const start = Date.now();
  await page.goto(address);
  await page.waitForFunction(() => document.getElementById('notice').hidden, undefined, { timeout: 120000 });
  console.log(`first frame after ${Date.now() - start} ms`);
  page.on('request', request => { if (!request.url().startsWith('blob:')) requests.push(request.url()); });
  await pause(1500);
  return page;
}
let shots = 0;
/** Saves a screenshot of the page, and returns the screenshot of the page or of a part. */
async function shot(page, name, part) {
  shots += 1;
  const whole = await page.screenshot({ path: join(pictures, `${shots}-${name}.png`) });
  return part ? page.screenshot({ clip: part }) : whole;
}
async function click(page, x, y) {
  await page.mouse.move(x, y);
  await pause(400);
  await page.mouse.down();
  await pause(300);
  await page.mouse.up();
  await pause(600);
}
async function drag(page, from, to) {
  await page.mouse.move(...from);
  await pause(1000);
  await page.mouse.down();
  for (let step = 1; step <= 8; step += 1) {
    await page.mouse.move(from[0] + (to[0] - from[0]) * step / 8, from[1] + (to[1] - from[1]) * step / 8);
    await pause(150);
  }
  await pause(1500);
}
/** Presses the keys that open a file dialog, and chooses files. */
async function choose(page, keys, ...paths) {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser', { timeout: 60000 }), page.keyboard.press(keys)]);
  await chooser.setFiles(paths);
  await pause(3000);
}
const VIEWPORT_MIDDLE = { x: 470, y: 340, width: 300, height: 80 };
/** Drops files into the viewport, which must stand still. */
async function drop(page, ...files) {
  const session = await page.context().newCDPSession(page);
  const before = await shot(page, 'before-drop', VIEWPORT_MIDDLE);
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await session.send('Input.dispatchDragEvent', { type, x: 640, y: 400, data: { items: [], files, dragOperationsMask: 1 } });
    await pause(1000);
    if (type === 'dragOver') check(!before.equals(await shot(page, 'drop', VIEWPORT_MIDDLE)), 'the page answers files that are held over it');
  }
  await pause(3000);
}
/** Does something, and returns the bytes of the file that the page saves then. */
async function savedBy(page, action) {
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: 60000 }), action()]);
  const path = join(work, `${Date.now()}-${download.suggestedFilename()}`);
  await download.saveAs(path);
  await pause(1000);
  return readFileSync(path);
}
/** Clicks, and returns the bytes of the file that the page saves then. */
const saved = (page, x, y) => savedBy(page, () => click(page, x, y));
/** Returns the file that the desktop program writes. */
function written(name, ...options) {
  const path = join(work, name);
  execFileSync(program, [...options, '--overwrite', '--out', path], { stdio: ['ignore', 'ignore', 'inherit'] });
  return path;
}
async function fromMenu(page, row) {
  await click(page, 60, 20);
  await click(page, 120, row);
}
async function importTable(page, table) {
  await choose(page, 'Control+i', table);
  await shot(page, 'import');
  await click(page, 545, 739);
}
/** Saves into a VRM, and confirms that the springs move differently there. */
async function savedVrm(page) {
  await fromMenu(page, 253);
  await pause(3000);
  await shot(page, 'save');
  return saved(page, 888, 468);
}

const table = written('hair.csv', 'convert', sample, '--solver', 'UnityChanSpringBone', '--preset', 'twin_tail_heavy',
  '--format', 'csv');
const expectedTable = readFileSync(written('again.csv', 'convert', sample, '--setup', table, '--solver',
  'UnityChanSpringBone', '--format', 'csv'));
const expectedVrm = readFileSync(written('hair.vrm', 'convert', sample, '--setup', table, '--solver', 'VRM',
  '--format', 'character'));
const project = written('hair.yure', 'convert', sample, '--setup', table, '--solver', 'UnityChanSpringBone', '--format',
  'project');
const expectedMotion = readFileSync(written('idle.csv', 'bake', sample, '--setup', project, '--motion', 'Idle'));

let browser = await launch('first');
await (await open()).close();
let page = await open();
const opened = await shot(page, 'open');
await pause(500);
check(!opened.equals(await shot(page, 'moving')), 'the character moves');

// The ring at the neck.
const still = await shot(page, 'before-drag');
await drag(page, [626, 277], [720, 310]);
check(!still.equals(await shot(page, 'dragged')), 'the drag changes the picture');
await page.mouse.up();
await page.mouse.move(5, 790);
await page.keyboard.press('Space');
await pause(2500);

// The slider for Speed.
const untuned = await shot(page, 'untuned');
await drag(page, [1117, 265], [1150, 265]);
await page.mouse.up();
check(!untuned.equals(await shot(page, 'tuned')), 'a slider changes the picture');
await page.keyboard.press('Control+z');

await importTable(page, table);
await page.keyboard.press('Control+e');
await pause(2500);
check(expectedTable.equals(await saved(page, 520, 369)), 'the CSV is equal to that of the desktop program');
check(expectedVrm.equals(await savedVrm(page)), 'the VRM is equal to that of the desktop program');
await fromMenu(page, 279);
await click(page, 370, 163);
await click(page, 502, 563);
await pause(8000);
await shot(page, 'baked');
check(expectedMotion.equals(await saved(page, 465, 563)), 'the baked motion is equal to that of the desktop program');

// Six frames. The dialog opens with the duration selected.
await page.keyboard.press('Escape');
await pause(1000);
await page.keyboard.press('Control+F12');
await pause(2000);
const clip = await savedBy(page, async () => {
  await page.keyboard.type('0.2');
  await page.keyboard.press('Enter');
});
check(clip.subarray(0, 6).toString() === 'GIF89a' && clip.length > 100000, `a clip of ${clip.length} bytes`);

// The Japanese window, and text from an input method.
await click(page, 836, 20);
await click(page, 848, 80);
await click(page, 118, 93);
const ime = await page.context().newCDPSession(page);
// The rows of the outliner, and the first letter in the search field, without its cursor.
const rows = { x: 0, y: 112, width: 230, height: 500 };
const letter = { x: 33, y: 84, width: 12, height: 18 };
const unfiltered = await shot(page, 'japanese', rows);
await ime.send('Input.imeSetComposition', { text: 'かみ', selectionStart: 2, selectionEnd: 2 });
await pause(1000);
const filtered = await shot(page, 'composition', rows);
const composed = await shot(page, 'letter', letter);
await ime.send('Input.insertText', { text: '髪' });
await pause(1000);
check(!unfiltered.equals(filtered), 'text of an input method filters the chains');
check(!composed.equals(await shot(page, 'typed', letter)), 'the chosen word replaces the typed text');
await browser.close();

// A dropped file, changes, and the end of the page without a question.
browser = await launch('second');
page = await open();
await page.mouse.move(5, 790);
await page.keyboard.press('Space');
await pause(3000);
await drop(page, sample);
await pause(3000);
await page.mouse.move(5, 790);
await page.keyboard.press('Space');
await pause(3000);
await shot(page, 'own-file');
await importTable(page, table);
await pause(2000);
const other = await open();
await shot(other, 'other-tab');
await other.close();
await page.close({ runBeforeUnload: false });
page = await open();
await pause(3000);
await shot(page, 'recovery');
await page.keyboard.press('Enter');
await pause(8000);
await page.mouse.move(5, 790);
await page.keyboard.press('Space');
await pause(2000);
await shot(page, 'recovered');
check(expectedVrm.equals(await savedVrm(page)), 'the recovered changes are complete');

// The page asks before unsaved changes are closed.
const asked = new Promise(done => page.once('dialog', dialog => { done(dialog.type()); dialog.dismiss(); }));
await page.close({ runBeforeUnload: true });
check(await Promise.race([asked, pause(5000)]) === 'beforeunload', 'the page asks before unsaved changes are closed');

if (process.env.YUREMONO_FBX && existsSync(process.env.YUREMONO_FBX)) {
  const third = await open();
  await third.mouse.move(5, 790);
  await third.keyboard.press('Space');
  await pause(3000);
  await choose(third, 'Control+o', join(process.env.YUREMONO_FBX, 'girl_unity_y.fbx'));
  await pause(5000);
  await shot(third, 'fbx');
  await third.close();
}

// A browser that lacks something gets a sentence.
async function noticeAfter(script) {
  const page = await browser.newPage();
  await page.addInitScript(script);
  await page.goto(address);
  await pause(4000);
  const text = await page.textContent('#text');
  await page.close();
  return text;
}
const withoutWebGl = await noticeAfter(() => { HTMLCanvasElement.prototype.getContext = () => null; });
check(withoutWebGl.startsWith('This browser has no WebGL 2.'), `without WebGL 2: ${withoutWebGl}`);
const withoutMemory = await noticeAfter(() => {
  Object.defineProperty(globalThis, 'crossOriginIsolated', { get: () => false });
  Object.defineProperty(Navigator.prototype, 'serviceWorker', { get: () => undefined });
});
check(withoutMemory.startsWith('This browser does not give this page shared memory.'), `without shared memory: ${withoutMemory}`);
page = await open(() => {
  Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };
  Object.defineProperty(globalThis, 'indexedDB', { get: () => { throw new DOMException('no', 'SecurityError'); } });
});
await shot(page, 'without-storage');
await page.mouse.move(5, 790);
await page.keyboard.press('Space');
await pause(3000);
await choose(page, 'Control+o', sample);
await pause(3000);
await shot(page, 'opened-without-storage');
await page.close();

for (const url of requests) console.log(`request after loading: ${url}`);
check(requests.every(url => new URL(url).origin === new URL(address).origin), 'every request stays on the server of the page');
check(requests.every(url => /\.js$|\.wasm$/.test(url)), 'the page requests nothing after loading but the program of its workers');
await browser.close();
server.close();
console.log(failures === 0 ? 'the page works' : `${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
