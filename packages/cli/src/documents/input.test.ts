import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { readInput } from './input';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-input-'));
});
afterEach(() => rm(folder, { recursive: true }));

const namesIn = async (path: string): Promise<string[]> =>
  (await readInput([path], Readable.from([]), folder)).map(({ name, text }) => {
    expect(text).not.toBe('');
    return name.slice(folder.length + 1);
  });

test('a folder is read with all documents below it, in the order of their names', async () => {
  await mkdir(join(folder, 'teams'));
  for (const name of ['b.yml', 'a.yaml', 'notes.txt', 'teams/c.json']) {
    await writeFile(join(folder, name), 'kind: Team');
  }
  expect(await namesIn(folder)).toEqual(['a.yaml', 'b.yml', 'teams/c.json']);
});

test('a ConfigMap that Kubernetes has mounted is read once, by the names that it gives its files', async () => {
  await mkdir(join(folder, '..2026_11_28'));
  await writeFile(join(folder, '..2026_11_28', 'demo.yaml'), 'kind: Team');
  await symlink('..2026_11_28', join(folder, '..data'));
  await symlink('..data/demo.yaml', join(folder, 'demo.yaml'));
  expect(await namesIn(folder)).toEqual(['demo.yaml']);
});

test('a link to nothing is refused by its name', async () => {
  await symlink('nowhere.yaml', join(folder, 'demo.yaml'));
  await expect(namesIn(folder)).rejects.toThrow(/demo\.yaml.*is a link to nothing/);
});

test('a folder without documents is refused', async () => {
  await expect(namesIn(folder)).rejects.toThrow('has no .yaml, .yml or .json file');
});
