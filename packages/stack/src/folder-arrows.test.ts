import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const SCRIPT = join(__dirname, '..', '..', '..', 'scripts', 'folder-arrows.mjs');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tollgate-arrows-'));
  mkdirSync(join(root, 'packages'), { recursive: true });
  mkdirSync(join(root, 'scripts'));
  copyFileSync(SCRIPT, join(root, 'scripts', 'folder-arrows.mjs'));
  file('http/routes.ts', `import { book } from '../ledger';\n`);
  file('ledger/index.ts', `export const book = 1;\n`);
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function file(path: string, text: string): void {
  const target = join(root, 'apps', 'shop', 'src', path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

function run(...words: string[]): { ok: boolean; said: string } {
  const script = join(root, 'scripts', 'folder-arrows.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, ...words], { encoding: 'utf8' });
  return { ok: status === 0, said: stderr };
}

const list = (): string => join(root, 'scripts', 'folder-arrows.json');

it('accepts the arrows that --write has listed', () => {
  expect(run('--write')).toEqual({ ok: true, said: '' });
  expect(JSON.parse(readFileSync(list(), 'utf8'))).toEqual({
    'apps/shop/src': { arrows: { http: ['ledger'] } },
  });
  expect(run().ok).toBe(true);
});

it.each([
  ['an import', `import { x } from '../mail';`],
  ['a type', `import type {\n  X,\n} from '../mail';`],
  ['an export', `export * from '../mail';`],
  ['a side effect', `import '../mail';`],
  ['a dynamic import', `const later = await import('../mail');`],
])('refuses a new arrow by %s and names it', (_what, text) => {
  run('--write');
  file('mail/index.ts', 'export {};\n');
  file('ledger/notify.ts', `${text}\n`);
  const { ok, said } = run();
  expect(ok).toBe(false);
  expect(said).toContain('apps/shop/src: ledger -> mail is not in the list');
});

it('refuses folders that import each other, also if the arrows are listed, without a reason', () => {
  file('ledger/limits.ts', `import '../http/routes';\n`);
  const { ok, said } = run('--write');
  expect(ok).toBe(false);
  expect(said).toContain('http <-> ledger import each other');

  const listed = JSON.parse(readFileSync(list(), 'utf8'));
  listed['apps/shop/src'].twoWay = { 'http <-> ledger': 'types only' };
  writeFileSync(list(), JSON.stringify(listed));
  expect(run().ok).toBe(true);
  expect(run('--write').ok).toBe(true);
});

it('refuses a listed arrow without an import', () => {
  run('--write');
  file('http/routes.ts', 'export {};\n');
  expect(run().said).toContain('http -> ledger is in the list, but no import makes it any more');
});

it('ignores tests, test support and imports between files of the folder itself', () => {
  run('--write');
  file('main.ts', `import './config';\n`);
  file('config.ts', 'export {};\n');
  file('ledger/books.test.ts', `import '../http/routes';\n`);
  file('ledger/test-support/books.ts', `import '../../http/routes';\n`);
  expect(run()).toEqual({ ok: true, said: '' });
});

it('checks a deeper folder that the list names', () => {
  run('--write');
  const listed = JSON.parse(readFileSync(list(), 'utf8'));
  listed['apps/shop/src/ledger'] = { arrows: {} };
  writeFileSync(list(), JSON.stringify(listed));
  file('ledger/append/append.ts', `import '../windows/windows';\n`);
  file('ledger/windows/windows.ts', 'export {};\n');
  expect(run().said).toContain('apps/shop/src/ledger: append -> windows is not in the list');
});
