import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rest } from '@tollgate/contracts';

import { COVERAGE } from './coverage';
import { KINDS } from './index';

const writing = rest.ENDPOINTS.filter(({ method }) => method !== 'GET').map(({ id }) => id);

test('every endpoint that writes has a kind, or a reason why it has none', () => {
  expect([...COVERAGE.keys()].toSorted()).toEqual(writing.toSorted());
});

test('the table names the kinds that there are, and each of them', () => {
  const named = [...COVERAGE.values()].flatMap((one) => ('kind' in one ? one.kind : []));
  expect([...new Set(named)].toSorted()).toEqual(KINDS.map(({ kind }) => kind).toSorted());
});

const page = readFileSync(join(__dirname, '../../../../docs/configuration-as-code.md'), 'utf8');

test('docs/configuration-as-code.md has a row for each kind, and each reason with its endpoints', () => {
  for (const { kind } of KINDS) expect(page).toContain(`| \`${kind}\``);
  const reasons = new Map<string, string[]>();
  for (const [id, coverage] of COVERAGE) {
    if (!('why' in coverage)) continue;
    reasons.set(coverage.why, [...(reasons.get(coverage.why) ?? []), `\`${id}\``]);
  }
  const rows = page.split('\n').map((line) => line.replaceAll(/\s+/g, ' '));
  const wanted = [...reasons].map(([why, ids]) => `| ${ids.join(', ')} | ${why} |`);
  expect(wanted.filter((row) => !rows.includes(row))).toEqual([]);
});
