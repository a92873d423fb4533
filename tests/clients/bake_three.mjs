// Plays the last animation of a GLB with three.js, and compares all baked bones with the table of the same bake:
// node bake_three.mjs FILE.glb FILE.csv
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { pose, readBones, readTable } from "./baked_motion.mjs";

const MAX_METRES = 1e-4;

globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};
const [file, table] = process.argv.slice(2);
const bones = readBones(file, (json) => {
  delete json.extensions;
  delete json.extensionsUsed;
  json.animations = json.animations.slice(-1);
});
const gltf = await new GLTFLoader().parseAsync(bones, "");
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
for (const { time, bones: keys } of frames) {
  mixer.setTime(time);
  for (const [, node] of nodes) pose(node, keys);
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
