// Documents that name files or list decisions match the repository.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = dirname(__dirname);
const DECISIONS = join(ROOT, 'docs/decisions');

const pages = [
  ...['README.md', 'CONTRIBUTING.md'].map((file) => join(ROOT, file)),
  ...markdownIn(join(ROOT, 'docs')),
  ...markdownIn(DECISIONS),
];

function markdownIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file));
}

test.each(['CONTRIBUTING.md', 'docs/life-of-a-request.md', 'docs/life-of-a-change.md'])(
  'every file that %s names exists',
  (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const named = [...text.matchAll(/`((?:apps|packages|protos|docs|scripts)\/[^`\s]+)`/g)];
    const paths = named.map(([, path]) => path ?? '').filter((path) => !path.includes('NAME'));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  },
);

test('every link between documents has a target', () => {
  const broken = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s#:]+)(?:#[^)]*)?\)/g)]
      .map(([, target]) => join(dirname(page), target ?? ''))
      .filter((target) => !existsSync(target))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

const decisions = readdirSync(DECISIONS).filter((file) => /^\d{4}-/.test(file));

test.each(decisions)('%s has a status with its date, and a row in the index', (file) => {
  const [title = '', status = ''] = readFileSync(join(DECISIONS, file), 'utf8').split('\n\n');
  const [, number = '', words = ''] = /^# (\d+)\. (.*)$/.exec(title) ?? [];
  expect(file.startsWith(`${number.padStart(4, '0')}-`)).toBe(true);
  expect(status).toMatch(
    /^\*\*Status\.\*\* (Accepted|Superseded by \[decision \d+\]).*\d{4}-\d{2}-\d{2}/,
  );
  const index = readFileSync(join(DECISIONS, 'README.md'), 'utf8');
  expect(index).toContain(`[${number}](${file})`);
  expect(index).toContain(words);
});
