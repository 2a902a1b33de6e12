import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dependencies-'));
  write('package.json', '{}');
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function depend(...names: string[]): void {
  const dependencies = Object.fromEntries(names.map((name) => [name, '1.0.0']));
  write('apps/a/package.json', JSON.stringify({ dependencies }));
}

function check() {
  const script = join(__dirname, 'dependency-check.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  return { passes: status === 0, said: stderr };
}

test.each([
  ["import pg from 'pg';", ['pg', '@types/pg']],
  ["import type { X } from '@scope/name/part';", ['@scope/name', '@types/scope__name']],
  ["import {\n  a,\n} from 'pg';", ['pg']],
  ["import 'side-effect';", ['side-effect']],
  ["export { a } from 'pg';", ['pg']],
  ["const a = await import('pg');", ['pg']],
  ["require.resolve('pg/package.json');", ['pg']],
  // eslint-disable-next-line no-template-curly-in-string -- as it stands in a source
  ['require.resolve(`@pg/${platform}`);', ['@pg/linux']],
])('an import counts as a use: %s', (text, names) => {
  write('apps/a/src/index.ts', text);
  depend(...names);
  expect(check()).toEqual({ passes: true, said: '' });
});

test('an unused dependency is reported with its package', () => {
  write('apps/a/src/index.ts', "// pg\nconst name = 'pg';\nimport { a } from 'pg-other';");
  depend('pg');
  expect(check()).toEqual({
    passes: false,
    said: 'apps/a/package.json: nothing imports pg (dependencies)\n',
  });
});

test('an import in another package, or in installed or built files, is not a use', () => {
  for (const path of ['apps/b/src/x.ts', 'apps/a/node_modules/x/x.js', 'apps/a/dist/x.js']) {
    write(path, "import 'pg';");
  }
  write('apps/b/package.json', '{}');
  depend('pg');
  expect(check().passes).toBe(false);
});
