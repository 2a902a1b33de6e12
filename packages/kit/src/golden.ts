// Golden files: what a test expects, in a file beside its input, so that a change of output is reviewed
// as a change of data. Only tests use this; nothing here knows what is compared.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A longer file is accepted unread, so its input must become smaller. */
const MAX_LINES = 300;

/** CI never writes: a file that is missing there was not committed. */
function updating(): boolean {
  return process.env.UPDATE_GOLDEN === '1' && !process.env.CI;
}

/**
 * The committed text of a golden file, for `expect(actual).toBe(golden(file, actual))`. With
 * UPDATE_GOLDEN=1 the file is written first. `same` is a golden file of another case that holds the same
 * text; while it does, this case has no file of its own.
 * @throws when no golden file exists, or one is longer than 300 lines
 */
export function golden(file: string, actual: string, same?: string): string {
  const other = same === file ? undefined : same;
  const shared = other !== undefined && existsSync(other) ? readFileSync(other, 'utf8') : undefined;
  if (updating()) write(file, actual, shared);
  if (!existsSync(file)) {
    if (shared !== undefined) return shared;
    throw new Error(
      `no golden file ${file}: run the test with UPDATE_GOLDEN=1 and review the file`,
    );
  }
  const expected = readFileSync(file, 'utf8');
  if (expected.split('\n').length - 1 > MAX_LINES) {
    throw new Error(`${file} has more than ${MAX_LINES} lines: split its input`);
  }
  return expected;
}

function write(file: string, actual: string, shared: string | undefined): void {
  if (actual === shared) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, actual);
}

/** A value as a golden file holds it. */
export function goldenJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Golden files have a second dot in their name, `tools.to-server.json`; inputs, `tools.json`, do not. */
const isGolden = (file: string) => file.split('.').length > 2;

/** The names of the input files in a folder, in order. */
export function goldenInputs(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => !isGolden(file))
    .sort();
}

/**
 * The golden files in a folder that no case asks for. With UPDATE_GOLDEN=1 they are removed instead.
 */
export function staleGoldenFiles(folder: string, wanted: readonly string[]): string[] {
  if (!existsSync(folder)) return [];
  const stale = readdirSync(folder).filter((file) => isGolden(file) && !wanted.includes(file));
  if (!updating()) return stale.sort();
  for (const file of stale) rmSync(join(folder, file));
  return [];
}
