// Starts the page: isolates it from other pages, which shared memory needs, and loads the program.
import init from './yuremono.js';

const japanese = navigator.language.startsWith('ja');
const notice = document.getElementById('notice');

function show(english, inJapanese) {
  notice.hidden = false;
  document.getElementById('text').textContent = japanese ? inJapanese : english;
}

// The program reports a failure, and hides the notice when it starts.
globalThis.yuremonoFailed = (english, inJapanese) => show(english, inJapanese);
globalThis.yuremonoStarted = () => { notice.hidden = true; };

// A server that sends no headers for isolation gets them from a service worker, after one reload.
async function isolate() {
  if (globalThis.crossOriginIsolated || !navigator.serviceWorker) {
    sessionStorage.removeItem('isolating');
    return globalThis.crossOriginIsolated === true;
  }
  await navigator.serviceWorker.register('isolation.js');
  await navigator.serviceWorker.ready;
  if (!sessionStorage.getItem('isolating')) {
    sessionStorage.setItem('isolating', '1');
    location.reload();
    return new Promise(() => {});
  }
  return false;
}

show('Loading…', '読み込み中…');
try {
  if (!await isolate()) {
    show('This browser does not give this page shared memory.\nOpen the page in a normal window of a current Chrome, Edge, Firefox or Safari.',
         'このブラウザーでは共有メモリを使用できません。\n最新の Chrome、Edge、Firefox、Safari の通常のウィンドウで開いてください。');
  } else if (!document.createElement('canvas').getContext('webgl2')) {
    show('This browser has no WebGL 2.\nTurn on hardware acceleration in its settings, or use another browser.',
         'このブラウザーでは WebGL 2 を使用できません。\n設定でハードウェアアクセラレーションを有効にするか、別のブラウザーを使用してください。');
  } else {
    await init();
  }
} catch (error) {
  show(`Yuremono could not start: ${error}`, `Yuremono を起動できませんでした：${error}`);
}
