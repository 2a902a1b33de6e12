import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import type { createFloats } from '..';

// The memory without one guard: its files are copied, and the line with the guard's name is left out.

const FOLDER = resolve(__dirname, '..');
const STORE = resolve(__dirname, '../../store');

export function floatsWithout(guard: string): typeof createFloats {
  const folder = mkdtempSync(join(tmpdir(), 'floats-'));
  try {
    let found = 0;
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(FOLDER)) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
      const lines = readFileSync(join(FOLDER, name), 'utf8').split('\n');
      const left = lines.filter((line) => !line.endsWith(`// guard: ${guard}`));
      found += lines.length - left.length;
      const text = left.join('\n').replaceAll(`from '../store'`, `from '${STORE}'`);
      writeFileSync(join(folder, name), text);
    }
    if (found === 0) throw new Error(`no line has the guard ${guard}`);
    const broken = jest.requireActual<{ createFloats: typeof createFloats }>(
      join(folder, 'index.ts'),
    );
    return broken.createFloats;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
