import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { golden, goldenInputs, staleGoldenFiles } from './golden';

const before = { UPDATE_GOLDEN: process.env.UPDATE_GOLDEN, CI: process.env.CI };
let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'golden-'));
  file = join(folder, 'case.to-x.json');
  delete process.env.UPDATE_GOLDEN;
  delete process.env.CI;
});

afterEach(() => {
  rmSync(folder, { recursive: true });
  Object.assign(process.env, before);
  if (before.UPDATE_GOLDEN === undefined) delete process.env.UPDATE_GOLDEN;
  if (before.CI === undefined) delete process.env.CI;
});

test('a missing file fails and is not written', () => {
  expect(() => golden(file, 'text')).toThrow(/no golden file .*case\.to-x\.json/);
  expect(existsSync(file)).toBe(false);
});

test('a file is written when an update is asked for, and expected from then on', () => {
  process.env.UPDATE_GOLDEN = '1';
  expect(golden(file, 'text')).toBe('text');
  delete process.env.UPDATE_GOLDEN;
  expect(golden(file, 'other')).toBe('text');
});

test('CI never writes', () => {
  process.env.UPDATE_GOLDEN = '1';
  process.env.CI = 'true';
  expect(() => golden(file, 'text')).toThrow(/no golden file/);
  writeFileSync(file, 'text');
  expect(golden(file, 'other')).toBe('text');
  expect(staleGoldenFiles(folder, [])).toEqual(['case.to-x.json']);
});

test('a case that says the same as another has no file of its own', () => {
  const same = join(folder, 'case.to-y.json');
  writeFileSync(same, 'text');
  expect(golden(file, 'other', same)).toBe('text');
  writeFileSync(file, 'old');
  process.env.UPDATE_GOLDEN = '1';
  expect(golden(file, 'text', same)).toBe('text');
  expect(existsSync(file)).toBe(false);
  expect(golden(file, 'other', same)).toBe('other');
  expect(readFileSync(file, 'utf8')).toBe('other');
});

test('a case is not the same as itself', () => {
  process.env.UPDATE_GOLDEN = '1';
  expect(golden(file, 'text', file)).toBe('text');
  expect(golden(file, 'text', file)).toBe('text');
  expect(existsSync(file)).toBe(true);
});

test('a file that nobody can review is refused', () => {
  writeFileSync(file, 'line\n'.repeat(300));
  expect(() => golden(file, '')).not.toThrow();
  writeFileSync(file, 'line\n'.repeat(301));
  expect(() => golden(file, '')).toThrow(/more than 300 lines/);
});

test('files that no case asks for are found, and removed by an update', () => {
  for (const name of ['case.json', 'case.to-x.json', 'gone.to-x.json']) {
    writeFileSync(join(folder, name), '');
  }
  expect(goldenInputs(folder)).toEqual(['case.json']);
  expect(staleGoldenFiles(folder, ['case.to-x.json'])).toEqual(['gone.to-x.json']);
  process.env.UPDATE_GOLDEN = '1';
  expect(staleGoldenFiles(folder, ['case.to-x.json'])).toEqual([]);
  expect(existsSync(join(folder, 'gone.to-x.json'))).toBe(false);
  expect(existsSync(file)).toBe(true);
});
