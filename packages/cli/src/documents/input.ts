import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';

import { FaultyDocuments } from './faults';

/** Reads the files that `-f` names: a file, a folder with all that is below it, or `-`. */

export interface InputFile {
  /** For errors. */
  readonly name: string;
  /** Where relative paths of secrets begin. */
  readonly folder: string;
  readonly text: string;
}

const MOST_FILES = 2_000;
const MOST_BYTES = 64 * 1024 * 1024;
const DOCUMENTS = /\.(?:ya?ml|json)$/i;

export async function readInput(
  paths: readonly string[],
  stdin: Readable,
  folder: string,
): Promise<InputFile[]> {
  const files: InputFile[] = [];
  let bytes = 0;
  const add = (file: InputFile, size: number): void => {
    bytes += size;
    if (bytes > MOST_BYTES) refuse(file.name, `more than ${String(MOST_BYTES)} bytes in all files`);
    if (files.length >= MOST_FILES) refuse(file.name, `more than ${String(MOST_FILES)} files`);
    files.push(file);
  };
  for (const path of paths) {
    if (path === '-') {
      const text = await textOf(stdin);
      add({ name: 'standard input', folder, text }, text.length);
      continue;
    }
    for (const file of await filesAt(path)) {
      const { size } = await stat(file);
      if (size > MOST_BYTES) refuse(file, `has more than ${String(MOST_BYTES)} bytes`);
      const text = await readFile(file, 'utf8');
      add({ name: file, folder: dirname(file), text }, size);
    }
  }
  return files;
}

async function filesAt(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => refuse(path, 'does not exist or cannot be read'));
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries) {
    if (!DOCUMENTS.test(entry.name) || isInConfigMapData(relative(path, entry.parentPath)))
      continue;
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() || (entry.isSymbolicLink() && (await isLinkToFile(file)))) files.push(file);
  }
  files.sort();
  if (files.length === 0) refuse(path, 'has no .yaml, .yml or .json file');
  return files;
}

async function isLinkToFile(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => refuse(file, 'is a link to nothing'));
  return found.isFile();
}

/**
 * Whether it is below a folder such as `..2026_11_28_10_00_00`: Kubernetes mounts a ConfigMap as links to files in there,
 * which would be read twice.
 */
const isInConfigMapData = (folder: string): boolean =>
  folder.split(sep).some((part) => part.startsWith('..'));

async function textOf(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const buffer = Buffer.from(chunk as Uint8Array);
    bytes += buffer.length;
    if (bytes > MOST_BYTES) refuse('standard input', `has more than ${String(MOST_BYTES)} bytes`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refuse(place: string, message: string): never {
  throw new FaultyDocuments([{ place, title: '', path: '', message }]);
}
