// Compares the pictures of `yuremono render` with three-vrm in headless Chromium, from the same camera in the same light,
// of spheres with each feature of MToon and of the given files: node mtoon_three_vrm.mjs PROGRAM FILE...
//
// Prints the mean difference inside the silhouette, in percent of the range of a channel, and the 95th percentile of the
// distance between both silhouettes in pixels. Fails above the limits. The table below gives the reason for views whose
// inside may differ; their silhouettes must be near each other, too. Springs are removed from the files, so that both
// programs show the rest pose.
// YUREMONO_PICTURES is a folder that keeps the pictures. CHROMIUM is the browser, default /usr/bin/chromium.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { spheres } from "./mtoon_spheres.mjs";

const SIZE = [480, 640];
const MAX_DIFFERENCE = 3;
/** Limit for the spheres. A missing feature changes only one of the nine spheres. */
const MAX_SPHERE_DIFFERENCE = 0.8;
const MAX_DISTANCE = 1;
/** Time of the pictures from behind. */
const SECONDS = 0.75;
/** Views as arguments of `yuremono render`. */
const VIEWS = {
    front: ["--view", "front"],
    back: ["--view", "back", "--orbit", "35", "--light", "60", "--start", `${SECONDS}`],
};
/** Strengths of the light, as in src/renderer/surface.rs. three.js divides by pi. */
const KEY = 0.85 * Math.PI, AMBIENT = 0.15 * Math.PI;
const ELEVATION = 33, DEFAULT_LIGHT = -30;
/** Views whose inside may be above the limit, with the reason. */
const PLAIN = "plain glTF materials, which Yuremono draws in a soft studio light instead of PBR";
const EXPECTED_DIFFERENCES = {
    "synth_girl_vrm0.vrm, front": PLAIN,
    "synth_girl_vrm0.vrm, back": PLAIN,
    "synth_girl_vrm1.vrm, front": PLAIN,
    "synth_girl_vrm1.vrm, back": PLAIN,
    "synth_heavy_vrm1.vrm, front": PLAIN,
    "synth_heavy_vrm1.vrm, back": PLAIN,
    "Godette_vrm_v4.vrm, back": `the bag has ${PLAIN}`,
};

const PAGE = `<!doctype html><script type="importmap">{ "imports": {
    "three": "/node_modules/three/build/three.module.js",
    "three/addons/": "/node_modules/three/examples/jsm/",
    "@pixiv/three-vrm": "/node_modules/@pixiv/three-vrm/lib/three-vrm.module.js"
} }</script><body></body>`;

/** Runs in the browser. Draws a file with three-vrm and compares the picture with ours. */
async function compare({ file, ours, size, camera, light, strength, seconds }) {
    const THREE = await import("three");
    const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
    const { VRMLoaderPlugin } = await import("@pixiv/three-vrm");
    const [width, height] = size;
    const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    renderer.setPixelRatio(1);
    renderer.setSize(width, height);
    renderer.setClearColor(0xff00ff, 1);
    const loader = new GLTFLoader();
    loader.register((parser) => new VRMLoaderPlugin(parser));
    const gltf = await loader.loadAsync(file);
    const scene = new THREE.Scene();
    scene.add(gltf.scene);
    const isVrm1 = !gltf.parser.json.extensions?.VRM;
    gltf.scene.traverse((object) => {
        object.frustumCulled = false;
        for (const material of [object.material ?? []].flat()) {
            // The unit of the specification is the height of the picture, the unit of three-vrm is half of it.
            if (isVrm1 && material.isOutline && material.outlineWidthMode === "screenCoordinates") {
                material.outlineWidthFactor *= 2;
            }
            material.update?.(seconds);
        }
    });
    const key = new THREE.DirectionalLight(0xffffff, strength[0]);
    key.position.fromArray(light);
    scene.add(key, new THREE.AmbientLight(0xffffff, strength[1]));
    const eye = new THREE.PerspectiveCamera(camera.fov, width / height, 0.01, 100);
    eye.position.fromArray(camera.eye);
    eye.lookAt(new THREE.Vector3().fromArray(camera.target));
    gltf.scene.updateMatrixWorld(true);
    renderer.render(scene, eye);
    const pixels = (image) => {
        const canvas = new OffscreenCanvas(width, height);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, width, height).data;
    };
    const theirs = pixels(renderer.domElement);
    const image = await createImageBitmap(await (await fetch(ours)).blob());
    const mine = pixels(image);
    const inside = (data, i) => data[4 * i] < 247 || data[4 * i + 1] > 8 || data[4 * i + 2] < 247;
    let sum = 0, count = 0;
    for (let i = 0; i < width * height; i++) {
        if (inside(mine, i) && inside(theirs, i)) {
            count++;
            for (let c = 0; c < 3; c++) sum += Math.abs(mine[4 * i + c] - theirs[4 * i + c]);
        }
    }
    // The pixels of the silhouette with a neighbour outside.
    const border = (data) => {
        const list = [];
        for (let y = 1; y < height - 1; y++) {
            for (let x = 1; x < width - 1; x++) {
                const i = y * width + x;
                if (inside(data, i) && [1, -1, width, -width].some((step) => !inside(data, i + step))) list.push([x, y]);
            }
        }
        return list;
    };
    const borders = [border(mine), border(theirs)];
    const distances = [];
    for (const [from, to] of [borders, [...borders].reverse()]) {
        for (const [x, y] of from) distances.push(Math.sqrt(Math.min(...to.map(([u, v]) => (u - x) ** 2 + (v - y) ** 2))));
    }
    distances.sort((a, b) => a - b);
    const picture = renderer.domElement.toDataURL("image/png").split(",")[1];
    renderer.dispose();
    return {
        difference: count ? (sum / count / 3 / 255) * 100 : NaN,
        distance: distances[Math.floor(distances.length * 0.95)] ?? NaN,
        pixels: count,
        picture,
    };
}

function removeSprings(json) {
    delete json.extensions?.VRMC_springBone;
    delete json.extensions?.VRM?.secondaryAnimation;
}

/** Yuremono lowers the arms of humanoids. Without these bones it shows the rest pose. */
function removeArms(json) {
    const isArm = (role) => /Shoulder|Arm|Hand|Thumb|Index|Middle|Ring|Little/.test(role);
    const bones = json.extensions?.VRMC_vrm?.humanoid?.humanBones ?? {};
    for (const role of Object.keys(bones).filter(isArm)) delete bones[role];
    const old = json.extensions?.VRM?.humanoid;
    if (old?.humanBones) old.humanBones = old.humanBones.filter(({ bone }) => !isArm(bone));
}

/** Returns a GLB with changes of its JSON. */
function changed(bytes, ...changes) {
    const length = bytes.readUInt32LE(12);
    const json = JSON.parse(bytes.subarray(20, 20 + length));
    changes.forEach((change) => change(json));
    const text = Buffer.from(JSON.stringify(json));
    const chunk = Buffer.concat([text, Buffer.alloc(-text.length & 3, " ")]);
    const header = Buffer.from(bytes.subarray(0, 20));
    header.writeUInt32LE(bytes.length - length + chunk.length, 8);
    header.writeUInt32LE(chunk.length, 12);
    return Buffer.concat([header, chunk, bytes.subarray(20 + length)]);
}

const [program, ...files] = process.argv.slice(2);
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
let chromium;
try {
    ({ chromium } = await import("playwright-core"));
} catch {
    console.log("skipped: three-vrm, because playwright-core is not installed");
    process.exit(0);
}
if (!existsSync(browserPath)) {
    console.log(`skipped: three-vrm, because there is no ${browserPath}`);
    process.exit(0);
}
for (const name of ["three", "@pixiv/three-vrm"]) {
    if (!existsSync(join("node_modules", name))) {
        console.log(`skipped: three-vrm, because ${name} is not installed`);
        process.exit(0);
    }
}
const work = mkdtempSync(join(tmpdir(), "mtoon-"));
const served = new Map();
const types = { ".js": "text/javascript", ".png": "image/png" };
const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url.split("?")[0]);
    const local = served.get(path) ?? (path.startsWith("/node_modules/") && !path.includes("..") ? path.slice(1) : null);
    if (path === "/") return response.setHeader("Content-Type", "text/html").end(PAGE);
    if (!local || !existsSync(local)) return response.writeHead(404).end();
    response.setHeader("Content-Type", types[local.slice(local.lastIndexOf("."))] ?? "application/octet-stream");
    response.end(readFileSync(local));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${server.address().port}/`;
const browser = await chromium.launch({
    executablePath: browserPath,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader", "--disable-background-networking", "--no-first-run"],
});
let failed = false;
const pictures = process.env.YUREMONO_PICTURES;
if (pictures) mkdirSync(pictures, { recursive: true });
try {
    const features = [0, 1].map((version) => {
        const path = join(work, `spheres_vrm${version}.vrm`);
        writeFileSync(path, spheres(version));
        return path;
    });
    for (const file of [...features, ...files]) {
        const [still, armless] = [join(work, "still.vrm"), join(work, "armless.vrm")];
        writeFileSync(still, changed(readFileSync(file), removeSprings));
        writeFileSync(armless, changed(readFileSync(file), removeSprings, removeArms));
        for (const [view, args] of Object.entries(VIEWS)) {
            const out = join(work, "ours.png");
            const shared = ["--motion", "still", "--size", SIZE.join("x"), "--smooth", "1", "--background", "#ff00ff", "--no-shadow", "--json"];
            const report = JSON.parse(execFileSync(program, ["render", armless, ...args, ...shared, "--overwrite", "--out", out],
                { stdio: ["ignore", "pipe", "ignore"] })).files[0];
            served.set("/ours.png", out);
            served.set("/file.vrm", still);
            const page = await browser.newPage();
            page.on("pageerror", (error) => console.log(`  ${error}`));
            await page.goto(address);
            const degrees = args.includes("--light") ? Number(args[args.indexOf("--light") + 1]) : DEFAULT_LIGHT;
            const [turn, height] = [degrees, ELEVATION].map((angle) => (angle * Math.PI) / 180);
            const front = report.camera.front;
            const light = [Math.sin(turn) * Math.cos(height) * front, Math.sin(height), Math.cos(turn) * Math.cos(height) * front];
            const result = await page.evaluate(compare, {
                file: "/file.vrm", ours: "/ours.png", size: SIZE, camera: report.camera, light, strength: [KEY, AMBIENT],
                seconds: args.includes("--start") ? SECONDS : 0,
            });
            await page.close();
            const name = `${basename(file)}, ${view}`;
            if (pictures) {
                const target = join(pictures, `${basename(file)}-${view}`);
                writeFileSync(`${target}-three-vrm.png`, Buffer.from(result.picture, "base64"));
                writeFileSync(`${target}-yuremono.png`, readFileSync(out));
            }
            const reason = EXPECTED_DIFFERENCES[name];
            const limit = features.includes(file) ? MAX_SPHERE_DIFFERENCE : MAX_DIFFERENCE;
            const isSame = result.difference <= limit;
            const verdict = !(result.distance <= MAX_DISTANCE) ? "FAILED" : isSame ? "ok" : reason ? `expected: ${reason}` : "FAILED";
            failed ||= verdict === "FAILED";
            const numbers = `${result.difference.toFixed(2)} % inside, ${result.distance.toFixed(2)} px at the edge`;
            console.log(`${name}: ${numbers} (${result.pixels} pixels): ${verdict}`);
        }
    }
} finally {
    await browser.close();
    server.close();
    rmSync(work, { recursive: true });
}
process.exit(failed ? 1 : 0);
