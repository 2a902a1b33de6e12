import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

// What test files of one worker share, and what not: two files in a Jest of their own, one after the other.

const root = dirname(__dirname);
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tollgate-shared-modules-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const COUNTER = `let count = 0; module.exports = { next: () => (count += 1) };`;

function write(name: string, content: string): void {
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Runs the files in the order of their names; throws with Jest's output unless all pass. */
function runInBand(): void {
  write(
    'jest.config.js',
    `module.exports = {
      testEnvironment: ${JSON.stringify(join(root, 'jest/environment.js'))},
      runtime: ${JSON.stringify(join(root, 'jest/runtime.js'))},
      testMatch: ['**/*.test.ts'],
      transform: { 'shared.*ts$': ${JSON.stringify(require.resolve('@swc/jest'))} },
      testSequencer: './in-order.js',
    };`,
  );
  const sequencer = JSON.stringify(require.resolve('@jest/test-sequencer'));
  write(
    'in-order.js',
    `module.exports = class extends require(${sequencer}).default {
      sort(tests) { return [...tests].sort((a, b) => a.path.localeCompare(b.path)); }
    };`,
  );
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const args = [jest, '--ci', '-i', '--rootDir', dir, '-c', join(dir, 'jest.config.js')];
  execFileSync(process.execPath, args, { cwd: dir, stdio: 'pipe', timeout: 300_000 });
}

test('modules are shared; fixtures, isolated modules, variables, timers and time limits are not', () => {
  write('counter.js', COUNTER);
  write('test-support/counter.js', COUNTER);
  write(
    'a.test.ts',
    `test('is the first', () => {
      expect([require('./counter').next(), require('./test-support/counter').next()]).toEqual([1, 1]);
      process.env.LEFT_BY_A = 'yes';
      process.env.PATH = '';
      jest.useFakeTimers();
      jest.setTimeout(1);
    });`,
  );
  write(
    'b.test.ts',
    `test('comes after it', async () => {
      expect([require('./counter').next(), require('./test-support/counter').next()]).toEqual([2, 1]);
      jest.isolateModules(() => expect(require('./counter').next()).toBe(1));
      expect(require('./counter').next()).toBe(3);
      expect(process.env.LEFT_BY_A).toBeUndefined();
      expect(process.env.PATH).not.toBe('');
      await new Promise((resolve) => setTimeout(resolve, 50));
    });`,
  );
  runInBand();
});

test('an error in a shared module names the line of its source, also in a later file', () => {
  // Line 5 of the source is another one once the type is gone.
  write(
    'shared.ts',
    `interface Removed {\n  a: string;\n}\nexport const next = (removed?: Removed) => {\n  throw new Error('broken');\n};\n`,
  );
  const content = `test('throws', () => {
    let thrown;
    try { require('./shared').next(); } catch (error) { thrown = error; }
    expect(thrown).toBeInstanceOf(Error);
    expect(thrown.stack).toMatch(/shared\\.ts:5:/);
  });`;
  write('a.test.ts', content);
  write('b.test.ts', content);
  runInBand();
});
