import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A tarball may be tested without git.
const hasGit = spawnSync('git', ['--version']).status === 0 || process.env.REQUIRE_REAL === '1';
const promise = hasGit ? test : test.skip;

let folder = '';
let base = '';

beforeEach(() => {
  if (!hasGit) return;
  folder = mkdtempSync(join(tmpdir(), 'commits-'));
  git('init', '-q', '-b', 'main');
  commit('A subject from before the rules', '');
  base = git('rev-parse', 'HEAD').trim();
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): string {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@t.test', '-c', 'commit.gpgsign=false'];
  const { status, stdout, stderr } = spawnSync('git', [...who, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

function commit(subject: string, body: string): void {
  git('commit', '-q', '--allow-empty', '-m', subject, ...(body === '' ? [] : ['-m', body]));
}

function check(from = base) {
  const script = join(__dirname, 'commit-check.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, folder, from], {
    encoding: 'utf8',
  });
  return { passes: status === 0, said: stdout + stderr };
}

promise('commits that keep the rules pass in silence, whatever came before them', () => {
  commit('feat(catalog,policy)!: count what is let through', 'Owners ask for it.');
  commit(`fix: ${'x'.repeat(67)}`, 'The longest subject.');
  expect(check()).toEqual({ passes: true, said: '' });
});

promise.each([
  ['Add things', 'why', 'the subject is not "type(scope): what"'],
  ['feature: add things', 'why', 'the subject is not "type(scope): what"'],
  ['feat(edge) add things', 'why', 'the subject is not "type(scope): what"'],
  [`fix: ${'x'.repeat(68)}`, 'why', 'the subject has 73 characters'],
  ['fix: say why', '', 'the body is empty'],
])('%s: is refused with its reason', (subject, body, reason) => {
  commit(subject, body);
  commit('fix: another', 'It is fine.');
  const { passes, said } = check();
  expect(passes).toBe(false);
  expect(said).toContain(subject);
  expect(said).toContain(reason);
  expect(said).not.toContain('another');
});

promise('a history of more than a mebibyte is read to its end', () => {
  for (let at = 0; at < 12; at += 1) commit('fix: another', 'why '.repeat(25_000));
  expect(check()).toEqual({ passes: true, said: '' });
});

promise('merge commits are skipped', () => {
  git('checkout', '-q', '-b', 'side');
  commit('fix: on the side', 'why');
  git('checkout', '-q', 'main');
  git('merge', '-q', '--no-ff', '-m', 'Merge side', 'side');
  expect(check()).toEqual({ passes: true, said: '' });
});

promise('a history without the base passes, and so does a folder without a history', () => {
  commit('Not a good subject', '');
  expect(check('0'.repeat(40))).toEqual({ passes: true, said: '' });
  rmSync(join(folder, '.git'), { recursive: true });
  expect(check()).toEqual({ passes: true, said: '' });
});
