// Documents that name files or list decisions match the repository.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

const ROOT = dirname(__dirname);
const DECISIONS = join(ROOT, 'docs/decisions');

const pages = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].map((file) =>
    join(ROOT, file),
  ),
  ...markdownIn(join(ROOT, 'docs')),
  ...markdownIn(DECISIONS),
  ...markdownIn(join(ROOT, 'docs/runbooks')),
];

function markdownIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file));
}

// Folders by the names that pages shorten them to, as the glossary says.
const SHORTENED: Readonly<Record<string, string>> = {
  admin: 'apps/admin/src',
  catalog: 'apps/catalog/src',
  contracts: 'packages/contracts/src',
  edge: 'apps/edge/src',
  kit: 'packages/kit/src',
  policy: 'apps/policy/src',
};

// Pages that map one folder name its files relative to it.
const MAPPED: Readonly<Record<string, string>> = {
  'docs/catalog-inside.md': 'apps/catalog/src',
  'docs/console-inside.md': 'apps/admin/src',
  'docs/contracts-inside.md': 'packages/contracts/src',
  'docs/edge-inside.md': 'apps/edge/src',
  'docs/policy-inside.md': 'apps/policy/src',
};

const ROOT_FOLDER = /^(apps|packages|protos|docs|scripts|deploy)\//;
const SOURCE_FILE = /\.(tsx?|mjs|proto)$/;

/**
 * The paths that a page names in backticks. Patterns, and the placeholder NAME, are left out. A page
 * that maps a folder may also name a file by its last part alone.
 */
function pathsIn(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const quoted = [...text.matchAll(/`([\w.@[\]-]+(?:\/[\w.@[\]-]+)*\/?)`/g)].map(
    ([, path = '']) => path,
  );
  return quoted.filter((path) => {
    const [first = ''] = path.split('/');
    if (path.includes('NAME')) return false;
    if (!path.includes('/')) return page in MAPPED && SOURCE_FILE.test(path);
    return ROOT_FOLDER.test(path) || SOURCE_FILE.test(path) || first in SHORTENED;
  });
}

function isThere(page: string, path: string): boolean {
  const [first = '', ...rest] = path.split('/');
  const short = SHORTENED[first];
  const mapped = MAPPED[page];
  if (mapped !== undefined && rest.length === 0) return filesBelow(mapped).has(path);
  return [
    path,
    ...(short === undefined ? [] : [join(short, ...rest)]),
    ...(mapped === undefined ? [] : [join(mapped, path)]),
  ].some((place) => existsSync(join(ROOT, place)));
}

const mappedFiles = new Map<string, ReadonlySet<string>>();

function filesBelow(folder: string): ReadonlySet<string> {
  const known = mappedFiles.get(folder);
  if (known) return known;
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  const names = new Set(files.map((file) => basename(file)));
  mappedFiles.set(folder, names);
  return names;
}

test.each(pages.map((page) => relative(ROOT, page)))(
  'every file that %s names is there',
  (page) => {
    expect(pathsIn(page).filter((path) => !isThere(page, path))).toEqual([]);
  },
);

test.each([
  'CONTRIBUTING.md',
  'docs/glossary.md',
  'docs/life-of-a-request.md',
  'docs/life-of-a-change.md',
  ...Object.keys(MAPPED),
])('%s is searched for paths', (page) => {
  expect(pathsIn(page).length).toBeGreaterThan(10);
});

/** Anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm);
  const anchors = [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(anchors);
}

test('every link between documents has a target', () => {
  const broken = pages.flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s#:]*)(?:#([^)]*))?\)/g)]
      .filter(([, path = '', anchor]) => {
        const target = path === '' ? page : join(dirname(page), path);
        if (!existsSync(target)) return true;
        return anchor !== undefined && !anchorsOf(target).has(anchor);
      })
      .map(([link]) => `${relative(ROOT, page)}: ${link}`),
  );
  expect(broken).toEqual([]);
});

const decisions = readdirSync(DECISIONS).filter((file) => /^\d{4}-/.test(file));

test.each(decisions)('%s is short: its rules are on a page of their own', (file) => {
  const lines = readFileSync(join(DECISIONS, file), 'utf8').trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(20);
});

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

// A merge that keeps both sides writes a table twice.
test.each(pages.map((page) => [relative(ROOT, page), page]))(
  'tables of %s have one head',
  (_, page) => {
    const rows = readFileSync(page, 'utf8').split('\n');
    const heads = rows.filter(
      (row, at) => /^\|[ :|-]+\|$/.test(row) && rows[at - 2]?.startsWith('|'),
    );
    expect(heads).toEqual([]);
  },
);
