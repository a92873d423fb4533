// Plays a baked VRM animation on its character with three-vrm, and compares all humanoid bones with the table of the
// same bake: node bake_three_vrm.mjs CHARACTER.vrm FILE.vrma FILE.csv
import fs from "node:fs";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { VRMLoaderPlugin } from "@pixiv/three-vrm";
import { VRMAnimationLoaderPlugin, createVRMAnimationClip } from "@pixiv/three-vrm-animation";

const MAX_METRES = 1e-4;

/** Removes what does not move humanoid bones. Textures need a browser. */
function withoutMeshes(glb) {
  const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
  const length = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + length)));
  for (const list of ["meshes", "skins", "materials", "textures", "images", "samplers", "extensionsRequired"]) delete json[list];
  for (const name of Object.keys(json.extensions)) if (!["VRM", "VRMC_vrm", "VRMC_vrm_animation"].includes(name)) delete json.extensions[name];
  const vrm = json.extensions.VRMC_vrm ?? json.extensions.VRM;
  if (vrm) {
    for (const name of Object.keys(vrm)) if (!["specVersion", "meta", "humanoid"].includes(name)) delete vrm[name];
    delete vrm.meta.thumbnailImage;
    delete vrm.meta.texture;
    delete json.animations;
  }
  json.nodes.forEach((node, index) => {
    delete node.mesh;
    delete node.skin;
    delete node.extensions;
    node.extras = { index };
  });
  const bin = glb.subarray(20 + length + 8);
  json.buffers[0].uri = `data:application/octet-stream;base64,${Buffer.from(bin).toString("base64")}`;
  return JSON.stringify(json);
}

function readTable(file) {
  const [, ...rows] = fs.readFileSync(file, "utf8").trim().split("\n");
  const frames = new Map();
  for (const row of rows) {
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
const [character, animation, table] = process.argv.slice(2);
const loader = new GLTFLoader();
loader.register((parser) => new VRMLoaderPlugin(parser));
loader.register((parser) => new VRMAnimationLoaderPlugin(parser));
const load = (file) => loader.parseAsync(withoutMeshes(new Uint8Array(fs.readFileSync(file))), "");
const { vrm } = (await load(character)).userData;
const [vrmAnimation] = (await load(animation)).userData.vrmAnimations;
const expected = (await load(character)).userData.vrm;
const mixer = new THREE.AnimationMixer(vrm.scene);
const action = mixer.clipAction(createVRMAnimationClip(vrmAnimation, vrm));
action.setLoop(THREE.LoopOnce);
action.clampWhenFinished = true;
action.play();
const bones = Object.keys(vrm.humanoid.humanBones).filter((name) => vrmAnimation.humanoidTracks.rotation.has(name));
const frames = readTable(table);
let largest = 0, worst = "";
const [a, b] = [new THREE.Vector3(), new THREE.Vector3()];
for (const { time, bones: keys } of frames) {
  mixer.setTime(time);
  vrm.humanoid.update();
  expected.scene.traverse((node) => {
    const numbers = keys.get(node.userData.index);
    if (!numbers) return;
    node.position.fromArray(numbers);
    node.quaternion.fromArray(numbers, 3);
    node.scale.fromArray(numbers, 7);
  });
  vrm.scene.updateMatrixWorld(true);
  expected.scene.updateMatrixWorld(true);
  for (const name of bones) {
    a.setFromMatrixPosition(vrm.humanoid.getRawBoneNode(name).matrixWorld);
    const distance = a.distanceTo(b.setFromMatrixPosition(expected.humanoid.getRawBoneNode(name).matrixWorld));
    if (distance > largest) [largest, worst] = [distance, name];
  }
}
console.log(`three-vrm, ${animation}: ${frames.length} frames, ${bones.length} humanoid bones, off by at most ${(1000 * largest).toFixed(4)} mm (${worst})`);
if (!(largest <= MAX_METRES) || frames.length === 0 || bones.length === 0) process.exitCode = 1;
