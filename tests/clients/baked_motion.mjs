// Reads what the clients of baked motions compare: characters without meshes, and the table of a bake.
import fs from "node:fs";

/** Reads a GLB as JSON with embedded buffer, without meshes and textures, which need a browser. `edit` changes the JSON. */
export function readBones(file, edit) {
  const glb = new Uint8Array(fs.readFileSync(file));
  const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
  const length = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + length)));
  for (const list of ["meshes", "skins", "materials", "textures", "images", "samplers", "extensionsRequired"]) delete json[list];
  json.nodes.forEach((node, index) => {
    delete node.mesh;
    delete node.skin;
    delete node.extensions;
    node.extras = { index };
  });
  edit(json);
  const bin = glb.subarray(20 + length + 8);
  json.buffers[0].uri = `data:application/octet-stream;base64,${Buffer.from(bin).toString("base64")}`;
  return JSON.stringify(json);
}

/** Reads the frames of a table: the time, and the local transform of each node by its index. */
export function readTable(file) {
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

/** Sets the local transform of a node of three.js to that of the table. */
export function pose(node, bones) {
  const numbers = bones.get(node.userData.index);
  if (!numbers) return;
  node.position.fromArray(numbers);
  node.quaternion.fromArray(numbers, 3);
  node.scale.fromArray(numbers, 7);
}
