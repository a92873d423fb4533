// Plays a baked VRM animation on its character with three-vrm, and compares all humanoid bones with the table of the
// same bake: node bake_three_vrm.mjs CHARACTER.vrm FILE.vrma FILE.csv
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { VRMLoaderPlugin } from "@pixiv/three-vrm";
import { VRMAnimationLoaderPlugin, createVRMAnimationClip } from "@pixiv/three-vrm-animation";
import { pose, readBones, readTable } from "./baked_motion.mjs";

const MAX_METRES = 1e-4;

/** Removes what does not move humanoid bones. */
function keepHumanoid(json) {
  for (const name of Object.keys(json.extensions)) if (!["VRM", "VRMC_vrm", "VRMC_vrm_animation"].includes(name)) delete json.extensions[name];
  const vrm = json.extensions.VRMC_vrm ?? json.extensions.VRM;
  if (vrm) {
    for (const name of Object.keys(vrm)) if (!["specVersion", "meta", "humanoid"].includes(name)) delete vrm[name];
    delete vrm.meta.thumbnailImage;
    delete vrm.meta.texture;
    delete json.animations;
  }
}

globalThis.self = globalThis;
globalThis.ProgressEvent ??= class extends Event {};
const [character, animation, table] = process.argv.slice(2);
const loader = new GLTFLoader();
loader.register((parser) => new VRMLoaderPlugin(parser));
loader.register((parser) => new VRMAnimationLoaderPlugin(parser));
const load = (file) => loader.parseAsync(readBones(file, keepHumanoid), "");
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
  expected.scene.traverse((node) => pose(node, keys));
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
