// Runs a test program for wasm32-wasip1 on the engine of Chromium.
//   node tests/web/recordings.mjs PROGRAM [ARGUMENT]...
// The program can read the current folder.
import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';

const [program, ...options] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: [program, ...options], preopens: { [process.cwd()]: process.cwd() } });
const { instance } = await WebAssembly.instantiate(readFileSync(program), wasi.getImportObject());
process.exit(wasi.start(instance));
