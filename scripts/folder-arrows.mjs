#!/usr/bin/env node
// Checks which folders of a package import which other folders ("arrows") against the list in
// folder-arrows.json. A new arrow is a decision about the architecture, so it appears in a diff;
// two folders that import each other cannot be read or moved apart, so each such pair needs a
// reason.
//
//   node scripts/folder-arrows.mjs           fails when sources and list differ
//   node scripts/folder-arrows.mjs --write   writes the arrows of the sources into the list
//
// Checked are `src` of every app and package, and each deeper folder in the list. Files directly in
// such a folder count individually in arrows to and from its sub-folders; arrows among themselves
// are ignored. Tests and test support are ignored.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'generated', 'test-support']);
const LINE_LENGTH = 100;
const SOURCE = /\.(?:ts|tsx|mts)$/;
const TEST = /\.test\.tsx?$/;
const IMPORTS = [
  /^[ \t]*(?:import|export)\s[^'"`;]*?from\s*['"](\.[^'"]*)['"]/gm,
  /^[ \t]*import\s*['"](\.[^'"]*)['"]/gm,
  /\bimport\(\s*['"](\.[^'"]*)['"]\s*\)/g,
];

/** The arrows of one folder: `{ from: [to, …] }`, both sorted. */
function findArrows(folder) {
  const found = new Map();
  for (const file of sourcesIn(folder)) {
    const from = nodeOf(folder, file);
    for (const target of importsOf(file)) {
      const to = nodeOf(folder, target);
      if (to === undefined || to === from || (isFile(from) && isFile(to))) continue;
      found.set(from, (found.get(from) ?? new Set()).add(to));
    }
  }
  return Object.fromEntries(
    [...found].sort(([a], [b]) => order(a, b)).map(([from, to]) => [from, [...to].sort(order)]),
  );
}

/**
 * The problems of a folder, as lines. `listed` is its entry in the list:
 * `{ arrows: { from: [to, …] }, twoWay: { 'a <-> b': reason } }`.
 */
function complaintsAbout(arrows, listed) {
  const { arrows: allowed = {}, twoWay: reasons = {} } = listed ?? {};
  const pairs = twoWayPairs(arrows);
  return [
    ...pairsOf(arrows)
      .filter(([from, to]) => !allowed[from]?.includes(to))
      .map(([from, to]) => `${from} -> ${to} is not in the list`),
    ...pairsOf(allowed)
      .filter(([from, to]) => !arrows[from]?.includes(to))
      .map(([from, to]) => `${from} -> ${to} is in the list, but no import makes it any more`),
    ...pairs
      .filter((pair) => !reasons[pair])
      .map((pair) => `${pair} import each other, and twoWay gives no reason`),
    ...Object.keys(reasons)
      .filter((pair) => !pairs.includes(pair))
      .map((pair) => `${pair} is in twoWay, but the two do not import each other`),
  ];
}

function twoWayPairs(arrows) {
  return pairsOf(arrows)
    .filter(([from, to]) => order(from, to) < 0 && arrows[to]?.includes(from))
    .map(([from, to]) => `${from} <-> ${to}`);
}

function pairsOf(arrows) {
  return Object.entries(arrows).flatMap(([from, targets]) => targets.map((to) => [from, to]));
}

function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : sourcesIn(path);
    return SOURCE.test(entry.name) && !TEST.test(entry.name) ? [path] : [];
  });
}

function importsOf(file) {
  const text = readFileSync(file, 'utf8');
  return IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)])
    .map(([, specifier]) => fileOf(resolve(dirname(file), specifier)))
    .filter((path) => path !== undefined);
}

function fileOf(path) {
  const stem = path.replace(/\.[cm]?jsx?$/, '');
  const names = ['.ts', '.tsx', '.mts', '/index.ts', '/index.tsx'].map((end) => stem + end);
  return [...names, path].find((name) => existsSync(name) && statSync(name).isFile());
}

/** The sub-folder a file is in, or the file itself when it is directly in the folder. */
function nodeOf(folder, file) {
  const [first] = relative(folder, file).split(sep);
  return first === '..' ? undefined : first;
}

function isFile(node) {
  return SOURCE.test(node);
}

function order(a, b) {
  return a < b ? -1 : 1;
}

function main(root, write) {
  const listFile = join(root, 'scripts', 'folder-arrows.json');
  const list = existsSync(listFile) ? JSON.parse(readFileSync(listFile, 'utf8')) : {};
  const folders = [...new Set([...packagesIn(root), ...Object.keys(list)])].sort(order);
  const found = Object.fromEntries(
    folders
      .filter((folder) => existsSync(join(root, folder)))
      .map((folder) => [folder, findArrows(join(root, folder))]),
  );
  if (write) {
    for (const folder of folders) list[folder] = rewritten(list[folder], found[folder]);
    const sorted = folders.filter((folder) => list[folder]).map((name) => [name, list[name]]);
    writeFileSync(listFile, `${formatted(Object.fromEntries(sorted))}\n`);
  }
  const complaints = folders.flatMap((folder) =>
    complaintsAbout(found[folder] ?? {}, list[folder]).map((line) => `${folder}: ${line}`),
  );
  for (const line of complaints) process.stderr.write(`${line}\n`);
  if (complaints.length > 0) {
    process.stderr.write(
      'Change the import, or run `node scripts/folder-arrows.mjs --write` and give two-way pairs a reason.\n',
    );
    process.exitCode = 1;
  }
}

/** Formatted as Prettier does: an array that fits on its line stays on it. */
function formatted(list) {
  return JSON.stringify(list, undefined, 2).replace(
    /^( *"[^"]*": )\[([^\]]*)\](,?)$/gm,
    (whole, name, items, comma) => {
      const line = `${name}[${items.trim().replace(/\n\s*/g, ' ')}]${comma}`;
      return line.length <= LINE_LENGTH ? line : whole;
    },
  );
}

/** Existing pairs keep their reasons; a new pair gets none and so fails. */
function rewritten(entry, arrows) {
  if (arrows === undefined) return undefined;
  const pairs = twoWayPairs(arrows);
  const kept = Object.entries(entry?.twoWay ?? {}).filter(([pair]) => pairs.includes(pair));
  return { arrows, ...(kept.length > 0 ? { twoWay: Object.fromEntries(kept) } : {}) };
}

function packagesIn(root) {
  return ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => `${group}/${name}/src`)
      .filter((folder) => existsSync(join(root, folder))),
  );
}

main(dirname(dirname(fileURLToPath(import.meta.url))), process.argv.includes('--write'));
