// Plays the last animation of a GLB with three.js, and compares all baked bones with the table of the same bake:
// node bake_three.mjs FILE.glb FILE.csv
import fs from "node:fs";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

const MAX_METRES = 1e-4;

// Meshes and textures need a browser and do not move bones.
function withoutMeshes(glb) {
  const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
  const length = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + length)));
  for (const list of ["meshes", "skins", "materials", "textures", "images", "samplers", "extensions", "extensionsUsed", "extensionsRequired"]) delete json[list];
  json.nodes.forEach((node, index) => {
    delete node.mesh;
    delete node.skin;
    delete node.extensions;
    node.extras = { index };
  });
  json.animations = json.animations.slice(-1);
  const bin = glb.subarray(20 + length + 8);
  json.buffers[0].uri = `data:application/octet-stream;base64,${Buffer.from(bin).toString("base64")}`;
  return JSON.stringify(json);
}

function readTable(file) {
  const [, ...rows] = fs.readFileSync(file, "utf8").trim().split("\n");
  const frames = new Map();
  for (const row of rows) {
    // A quoted name can contain commas, so numbers are counted from the end.
    const cells = row.split(",");
    const [frame, time] = cells;
    const [node, ...numbers] = [cells.at(-1), ...cells.slice(-11, -1)].map(Number);
    if (!frames.has(frame)) frames.set(frame, { time: Number(time), bones: new Map() });
    frames.get(frame).bones.set(node, numbers);
  }
  return [...frames.values()];
}

globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};
const [file, table] = process.argv.slice(2);
const gltf = await new GLTFLoader().parseAsync(withoutMeshes(new Uint8Array(fs.readFileSync(file))), "");
const played = gltf.scene;
const expected = played.clone(true);
const mixer = new THREE.AnimationMixer(played);
const action = mixer.clipAction(gltf.animations[0]);
action.setLoop(THREE.LoopOnce);
action.clampWhenFinished = true;
action.play();
const nodes = [];
played.traverse((node) => nodes.push([node]));
let at = 0;
expected.traverse((node) => nodes[at++].push(node));
let largest = 0;
const frames = readTable(table);
for (const { time, bones } of frames) {
  mixer.setTime(time);
  for (const [, node] of nodes) {
    const numbers = bones.get(node.userData.index);
    if (!numbers) continue;
    node.position.fromArray(numbers);
    node.quaternion.fromArray(numbers, 3);
    node.scale.fromArray(numbers, 7);
  }
  played.updateMatrixWorld(true);
  expected.updateMatrixWorld(true);
  const [a, b] = [new THREE.Vector3(), new THREE.Vector3()];
  for (const [left, right] of nodes) {
    const distance = a.setFromMatrixPosition(left.matrixWorld).distanceTo(b.setFromMatrixPosition(right.matrixWorld));
    largest = Math.max(largest, distance);
  }
}
console.log(`three.js, ${file}: ${frames.length} frames, ${nodes.length} nodes, off by at most ${(1000 * largest).toFixed(4)} mm`);
if (!(largest <= MAX_METRES) || frames.length === 0) process.exitCode = 1;
