// The alert rules of deploy/observability name metrics and pages that exist, and each has a case in
// the file that `promtool test rules` runs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { createMetrics } from '../packages/kit/src/metrics';

const ROOT = dirname(__dirname);
const FOLDER = join(ROOT, 'deploy/observability');
const rules = readFileSync(join(FOLDER, 'alerts.yml'), 'utf8')
  .split('- alert: ')
  .slice(1)
  .map((text) => ({ name: text.split('\n', 1)[0] ?? '', text }));
const cases = readFileSync(join(FOLDER, 'alerts.test.yml'), 'utf8').split('- name: ').slice(1);

const SOURCES = ['apps/catalog', 'apps/edge', 'apps/policy', 'apps/runner', 'packages/kit'];
// Prometheus's own, and what it makes of a histogram.
const BUILT_IN = new Set(['up']);
const SUFFIX = /_(?:bucket|count|sum)$/;

const inSource = new Set(
  SOURCES.flatMap((folder) => sourcesIn(join(ROOT, folder, 'src'))).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/'((?:tollgate|grpc)_[a-z_]+)'/g)].map(
      ([, name = '']) => name,
    ),
  ),
);
const ofEveryProcess = new Set(
  createMetrics({ service: 'test' })
    .registry.getMetricsAsArray()
    .map(({ name }) => name),
);

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => join(folder, file));
}

function metricsIn(text: string): string[] {
  return [...text.matchAll(/\b(?:tollgate|grpc|nodejs|process)_[a-z_\d]+\b|\bup\b(?=\{)/g)].map(
    ([name]) => name,
  );
}

function isExported(name: string): boolean {
  return [name, name.replace(SUFFIX, '')].some(
    (known) => BUILT_IN.has(known) || inSource.has(known) || ofEveryProcess.has(known),
  );
}

test('there are rules, and each has another name', () => {
  expect(rules.length).toBeGreaterThan(0);
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
});

describe.each(rules)('$name', ({ name, text }) => {
  const page = /runbook: (docs\/runbooks\/[a-z-]+\.md)/.exec(text)?.[1] ?? '';

  test('names metrics that some service exports', () => {
    expect(metricsIn(text)).not.toEqual([]);
    expect(metricsIn(text).filter((metric) => !isExported(metric))).toEqual([]);
  });

  test('has a page that names it and metrics that exist', () => {
    expect(existsSync(join(ROOT, page))).toBe(true);
    const words = readFileSync(join(ROOT, page), 'utf8');
    expect(words).toContain(`Alert \`${name}\``);
    for (const part of ['How to see it', 'What to do', 'How to verify'])
      expect(words).toContain(`**${part}.**`);
    expect(metricsIn(words).filter((metric) => !isExported(metric))).toEqual([]);
  });

  test('has a case that fires and one that clears', () => {
    const own = cases.filter((each) => each.startsWith(`${name}\n`));
    expect(own).toHaveLength(1);
    expect(own[0]).toMatch(/exp_alerts:\n/);
    expect(own[0]).toContain('exp_alerts: []');
  });
});

test('the index of the pages has a row for each rule, with its severity and page', () => {
  const index = readFileSync(join(ROOT, 'docs/runbooks/README.md'), 'utf8');
  const rows = [...index.matchAll(/^\| `(\w+)` +\| (\w+) +\|.*\]\(([a-z-]+\.md)\) +\|$/gm)].map(
    ([, ...cells]) => cells.join(' '),
  );
  const expected = rules.map(({ name, text }) => {
    const severity = /severity: (\w+)/.exec(text)?.[1] ?? '';
    return `${name} ${severity} ${/runbooks\/([a-z-]+\.md)/.exec(text)?.[1] ?? ''}`;
  });
  expect(rows).toHaveLength(expected.length);
  expect(new Set(rows)).toEqual(new Set(expected));
});

test('every page of an alert belongs to a rule', () => {
  const pages = readdirSync(join(ROOT, 'docs/runbooks')).filter((file) => file !== 'README.md');
  const named = rules.map(({ text }) => /runbooks\/([a-z-]+\.md)/.exec(text)?.[1]);
  expect(new Set(pages)).toEqual(new Set(named));
});
