import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  API_KEY_TYPES,
  BUDGET_PERIODS,
  MCP_TRANSPORTS,
  MODEL_TYPES,
  PROVIDER_TYPES,
  QUOTA_METRICS,
  ROLES,
} from '@tollgate/contracts';

import { ROUTES } from './routes';

// Checks docs/spec-coverage.md: each row names existing tests, or says that it is not built. A
// title counts if it is the first argument of a call, as in `test('title', …)`.

const ROOT = join(__dirname, '../../..');
const NOT_BUILT = '**Not built yet.**';

interface Row {
  readonly section: string;
  readonly name: string;
  readonly proof: string;
}

function readRows(text: string): Row[] {
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((part) => {
      const [section = '', ...lines] = part.split('\n');
      const rows = lines.filter((line) => /^\| (?!Row |-)/.test(line));
      return rows.map((line) => {
        const [name = '', proof = ''] = line
          .split('|')
          .slice(1)
          .map((cell) => cell.trim());
        return { section, name, proof };
      });
    });
}

/** The files of a row, with the titles named for each. */
function proofsIn({ proof }: Row): { file: string; titles: string[] }[] {
  return [...proof.matchAll(/`([\w./-]+\.test\.ts)`:((?:,? `[^`]+`)+)/g)].map(
    ([, file = '', titles = '']) => ({
      file,
      titles: [...titles.matchAll(/`([^`]+)`/g)].map(([, title = '']) => title),
    }),
  );
}

const sources = new Map<string, string | undefined>();

function sourceOf(file: string): string | undefined {
  if (!sources.has(file)) {
    const path = join(ROOT, file);
    sources.set(file, existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  }
  return sources.get(file);
}

function isThere(file: string, title: string): boolean {
  const escaped = title.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
  return new RegExp(`\\(\\s*(['"\`])${escaped}\\1,`).test(sourceOf(file) ?? '');
}

const rows = readRows(readFileSync(join(ROOT, 'docs/spec-coverage.md'), 'utf8'));

test('every test that a row names exists', () => {
  const gone = rows.flatMap((row) =>
    proofsIn(row).flatMap(({ file, titles }) =>
      titles.filter((title) => !isThere(file, title)).map((title) => `${file}: ${title}`),
    ),
  );
  expect(gone).toEqual([]);
  expect(isThere('apps/edge/src/spec-coverage.test.ts', 'a title that no file has')).toBe(false);
  expect(isThere('no/such/file.test.ts', 'every test that a row names is there')).toBe(false);
});

test('every row names a test, or is marked as not built', () => {
  expect(rows.length).toBeGreaterThanOrEqual(183);
  const bare = rows.filter((row) => proofsIn(row).length === 0);
  expect(bare.filter(({ proof }) => !proof.startsWith(NOT_BUILT))).toEqual([]);
});

test.each([
  ['Roles', ROLES],
  ['API key types', API_KEY_TYPES],
  ['Provider types', PROVIDER_TYPES],
  ['Model types', MODEL_TYPES],
  ['MCP transports', MCP_TRANSPORTS],
  ['Budget periods', BUDGET_PERIODS],
  ['Quota metrics', QUOTA_METRICS],
])('every value of %s has its row', (name, values) => {
  const row = rows.find((one) => one.name.startsWith(`${name}:`));
  for (const value of values) expect(row?.name).toContain(`\`${value}\``);
});

test('every status of the interface has a row', () => {
  const errors = rows.filter(({ section }) => section.startsWith('7.')).map(({ name }) => name);
  for (const status of [400, 401, 402, 403, 429, 502, 503]) {
    expect(errors.filter((name) => name.startsWith(`${String(status)}: `))).not.toEqual([]);
  }
});

test('every model route that a row names exists', () => {
  const named = rows.flatMap(({ section, name }) =>
    /^4\.[1-6]/.test(section) ? [...name.matchAll(/`POST (\S+)`/g)].map(([, path]) => path) : [],
  );
  const known = new Set([...ROUTES.map(({ path }) => path), '/v1/provider_d/models']);
  expect(named.filter((path) => path === undefined || !known.has(path))).toEqual([]);
  expect(named).toHaveLength(1 + 6 + 1 + 2 + 13);
});
