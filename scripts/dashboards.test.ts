// The dashboards of Grafana are those that scripts/dashboards.mjs writes, and name metrics and labels
// of docs/metrics.md.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const SCRIPT = join(__dirname, 'dashboards.mjs');
const PAGE = readFileSync(join(__dirname, '../docs/metrics.md'), 'utf8');
const files = JSON.parse(
  execFileSync(process.execPath, [SCRIPT, '--print'], { encoding: 'utf8' }),
) as { file: string; text: string }[];
// The chart has the same ones.
const shown = files.filter(({ file }) => !file.includes('helm'));
const targets = shown.flatMap(({ text }) =>
  (JSON.parse(text) as Dashboard).panels.flatMap((panel) =>
    panel.targets.map(({ expr, legendFormat }) => ({ title: panel.title, expr, legendFormat })),
  ),
);

// The labels of each metric of the page.
const labelsOf = new Map(
  [...PAGE.matchAll(/^\| `([a-z_]+)` +\| \w+ +\| ([^|]*)\|/gm)].map(
    ([, name = '', labels = '']) =>
      [name, [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label)] as const,
  ),
);
// Of the scrape, and of the buckets of a histogram.
const EVERYWHERE = ['job', 'instance', 'service', 'le'];

test('the files are those that node scripts/dashboards.mjs writes', () => {
  for (const { file, text } of files) {
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(text));
  }
});

test.each(targets)('"$title" asks for metrics and labels that exist: $expr', (target) => {
  const { expr, legendFormat } = target;
  const metrics = [...expr.matchAll(/\b(?:tollgate|grpc)_[a-z_]+/g)].map(([name]) =>
    labelsOf.has(name) ? name : name.replace(/_(?:bucket|count|sum)$/, ''),
  );
  const foreign = /\b(?:up\{|nodejs_)/.test(expr);
  expect(metrics.length > 0 || foreign).toBe(true);
  const known = new Set([...EVERYWHERE, ...metrics.flatMap((name) => labelsOf.get(name) ?? [])]);
  expect(metrics.filter((name) => !labelsOf.has(name))).toEqual([]);
  const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(', '),
  );
  const matched = [...expr.matchAll(/[{,]\s*(\w+)(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
  const legends = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
  expect([...grouped, ...matched, ...legends].filter((label) => !known.has(label))).toEqual([]);
  expect(legends.filter((label) => !grouped.includes(label))).toEqual([]);
});

const promtool = spawnSync('promtool', ['--version']).status === 0;
(promtool ? test : test.skip)('Prometheus parses every expression', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dashboards-'));
  try {
    const rules = targets.map(({ expr }, n) => ({
      record: `panel:${String(n)}`,
      expr: expr.replaceAll('$__rate_interval', '1m'),
    }));
    const file = join(folder, 'rules.json');
    // YAML includes JSON.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboards', rules }] }));
    const { status, stderr } = spawnSync('promtool', ['check', 'rules', '--lint=none', file], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
