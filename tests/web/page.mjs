// The page in headless Chromium.
//   node tests/web/page.mjs PAGE PICTURES
// PAGE is the folder that .ci/web.sh builds, PICTURES a folder for screenshots. Opens the page on a server that sends no
// headers for isolation, checks that the bundled character moves, drags its head, and checks that the page has no errors
// and sends no request after loading.
import { createReadStream, mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';

const require = createRequire(join(process.env.NODE_PATH ?? '.', 'package.json'));
const { chromium } = require('playwright-core');

const [folder, pictures] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'yuremono-page-'));

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
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${server.address().port}/`;

let failures = 0;
function check(holds, text) {
  console.log(`${holds ? 'ok' : 'FAILED'}: ${text}`);
  if (!holds) failures += 1;
}

const browser = await chromium.launchPersistentContext(join(work, 'profile'), {
  executablePath: '/usr/bin/chromium',
  viewport: { width: 1440, height: 900 },
  acceptDownloads: true,
  args: ['--no-sandbox', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});

/** Opens the page, and waits for its first frame. */
async function open() {
  const page = await browser.newPage();
  page.on('console', message => { if (message.type() === 'error') console.log(`console: ${message.text()}`); });
  page.on('pageerror', error => { check(false, `the page has no errors: ${error}`); });
  // Headless Chromium cannot answer a dialog for saving, so that files become downloads.
  await page.addInitScript(() => { delete globalThis.showSaveFilePicker; });
  const start = Date.now();
  await page.goto(address);
  await page.waitForFunction(() => document.getElementById('notice').hidden, undefined, { timeout: 120000 });
  page.startMs = Date.now() - start;
  return page;
}
let shots = 0;
async function shot(page, name) {
  shots += 1;
  const path = join(pictures, `${shots}-${name}.png`);
  return page.screenshot({ path });
}
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

const first = await open();
console.log(`first start: ${first.startMs} ms`);
await first.close();
const page = await open();
console.log(`second start: ${page.startMs} ms`);
const requests = [];
page.on('request', request => { if (!request.url().startsWith('blob:')) requests.push(request.url()); });
await pause(1500);
const opened = await shot(page, 'open');
await pause(500);
check(!opened.equals(await shot(page, 'moving')), 'the character moves');

// Drag the ring at the neck.
const still = await shot(page, 'before-drag');
await page.mouse.move(704, 306);
await pause(1500);
await page.mouse.down();
for (let step = 1; step <= 8; step += 1) {
  await page.mouse.move(704 + 12 * step, 306 + 4 * step);
  await pause(150);
}
await pause(1500);
check(!still.equals(await shot(page, 'dragged')), 'the drag changes the picture');
await page.mouse.up();

console.log(`requests after loading: ${requests.length}`);
for (const url of requests) console.log(`  ${url}`);
check(requests.every(url => url.endsWith('worker.js') || url.endsWith('yuremono.js') || url.includes('snippets')), 'no request but for workers of the page');
await browser.close();
server.close();
console.log(failures === 0 ? 'the page works' : `${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
