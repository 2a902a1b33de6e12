// Writes docs/metrics.md: every metric that a service registers, with its type, labels and meaning,
// as read from the source. scripts/metrics-page.test.ts fails when the page has drifted.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from '@swc/core';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = ['apps/edge', 'apps/policy', 'apps/catalog', 'apps/runner', 'packages/kit'];
const OWNERS = { 'packages/kit': 'every gRPC server' };
const TYPES = new Map([
  ['counter', 'counter'],
  ['gauge', 'gauge'],
  ['histogram', 'histogram'],
  ['reading', 'gauge'],
  ['countedReadings', 'counter'],
  ['gaugeReadings', 'gauge'],
]);
const NAME = /^(tollgate|grpc)_[a-z0-9_]+$/;

const HEAD = `# Metrics

Written from the source by \`node scripts/metrics-page.mjs\`; do not edit. Every service serves them on \`/metrics\` of its ops port, for
operators only, summed over its workers. Each sample also has the label \`service\`. A histogram has the samples \`_bucket\`, \`_sum\` and
\`_count\`. The defaults of prom-client (\`process_*\`, \`nodejs_*\`, such as \`nodejs_eventloop_lag_p99_seconds\`) come with each service.

A scraper that asks for OpenMetrics, as Prometheus does by itself, gets it. Then the buckets of \`tollgate_edge_request_seconds\` and
\`tollgate_edge_first_token_seconds\` have the trace of their last [traced](tracing.md) request as an exemplar (\`trace_id\`), so that a slow bucket leads to
a slow request. Prometheus keeps exemplars with \`--enable-feature=exemplar-storage\`. With several workers they are those of
the worker that answers the scrape.

The series of \`tollgate_tenant_…\` are those of one worker each (\`worker\`, if there are several), and name the busiest tenants only. Once a
minute a tenant that had twice the traffic of the quietest named one takes its place, the busiest newcomer first. The series of the other
one stands still from then on. It ends when its place among four times \`METRICS_TENANTS_TOP\` is needed, two minutes later at the earliest: then its total
moves to a series of \`other\` with the label \`generation\`. That one never grows: it is replaced by one with the next number. So the
sum over all series is the total at every scrape, and \`sum(rate(…))\` counts every request once; take the rate first, then the sum.

| metric | type | labels | meaning | from |
| --- | --- | --- | --- | --- |
`;

/** The metrics of all services, by name. */
export function metricsInSource() {
  const found = SOURCES.flatMap((folder) =>
    filesIn(join(ROOT, folder, 'src')).flatMap((file) => metricsInFile(folder, file)),
  );
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export function metricsPage() {
  const rows = metricsInSource().map(({ name, type, labels, help, owner }) => {
    const cells = [
      `\`${name}\``,
      type,
      labels.map((label) => `\`${label}\``).join(', '),
      help.replace(/\.$/, '').replaceAll('|', '\\|'),
      owner,
    ];
    return `| ${cells.join(' | ')} |\n`;
  });
  return HEAD + rows.join('');
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|test-support|generated/.test(file))
    .map((file) => join(folder, file))
    .toSorted();
}

function metricsInFile(folder, file) {
  const text = readFileSync(file, 'utf8');
  if (!/\bmetrics\b/.test(text)) return [];
  const owner = OWNERS[folder] ?? folder.slice('apps/'.length);
  const found = [];
  let unnamed = false;
  for (const node of nodesOf(parseSync(text, { syntax: 'typescript', decorators: true }))) {
    const metric = node.type === 'CallExpression' ? registration(node) : tableRow(node);
    if (metric?.name) found.push({ ...metric, owner });
    else if (metric) unnamed = true;
  }
  // A name that is not written out is one of a table in the same file, or the page would lack it.
  if (unnamed && !found.some((metric) => metric.table))
    throw new Error(`${relative(ROOT, file)}: a metric whose name is not a literal`);
  return found;
}

function* nodesOf(value) {
  if (typeof value !== 'object' || value === null) return;
  if (typeof value.type === 'string') yield value;
  for (const inner of Object.values(value)) yield* nodesOf(inner);
}

/** A call such as `metrics.counter(name, help, labels)`. */
function registration({ callee, arguments: given }) {
  if (callee.type !== 'MemberExpression') return;
  const type = TYPES.get(callee.property.value);
  const { object } = callee;
  const registry = object.type === 'MemberExpression' ? object.property.value : object.value;
  if (!type || registry !== 'metrics') return;
  const [name, help, labels] = given.map((argument) => argument.expression);
  if (name?.type !== 'StringLiteral') return { name: undefined };
  if (!NAME.test(name.value)) throw new Error(`${name.value} is not a name of a metric`);
  const elements = labels?.type === 'ArrayExpression' ? labels.elements : [];
  return {
    name: name.value,
    type,
    help: literal(name.value, help),
    labels: elements.map((element) => literal(name.value, element.expression)),
  };
}

/** A row `[name, help, field]` of a table of gauges. */
function tableRow(node) {
  if (node.type !== 'ArrayExpression') return;
  const [name, help] = node.elements.map((element) => element?.expression);
  if (name?.type !== 'StringLiteral' || !NAME.test(name.value)) return;
  return {
    name: name.value,
    type: 'gauge',
    help: literal(name.value, help),
    labels: [],
    table: true,
  };
}

function literal(name, node) {
  if (node?.type === 'StringLiteral') return node.value;
  throw new Error(`${name}: its help and its labels must be literals`);
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes('--print')) process.stdout.write(metricsPage());
  else writeFileSync(join(ROOT, 'docs/metrics.md'), metricsPage());
}
