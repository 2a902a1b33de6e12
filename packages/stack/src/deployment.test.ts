import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeConfig } from '@tollgate/kit';
import { parse } from 'yaml';

import { configShape } from './config';
import { workspaceRoot } from './services';

// Guarantees of the deployment files: images cannot change under their tag, each service has only
// its own secrets, and probes and scrapers use the operators' ports. What docs/operations.md says of
// defaults is compared too.

const read = (...path: string[]): string => readFileSync(join(workspaceRoot(), ...path), 'utf8');

const compose = read('docker-compose.yml');
const PINNED = /^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/;

/** The text of each service of the Compose file. */
const services = new Map(
  (/^services:\n([^]*?)^\S/m.exec(compose)?.[1] ?? '')
    .split(/^ {2}(?=\w+:\n)/m)
    .slice(1)
    .map((block) => [block.slice(0, block.indexOf(':')), block] as const),
);

test('every image of the Compose file is built here or pinned by digest, and replaceable', () => {
  expect(services.size).toBeGreaterThanOrEqual(7);
  for (const [name, block] of services) {
    const image = /^ {4}image: (.+)$/m.exec(block)?.[1] ?? '';
    if (image.startsWith('tollgate/')) {
      expect({ name, built: block.includes('build: {') }).toEqual({ name, built: true });
      continue;
    }
    const [, variable, fallback] = /^\$\{(\w+):-(.+)\}$/.exec(image) ?? [];
    expect({ name, variable }).toEqual({ name, variable: `${name.toUpperCase()}_IMAGE` });
    expect(fallback).toMatch(PINNED);
  }
});

const dockerfiles = readdirSync(join(workspaceRoot(), 'deploy'), { recursive: true })
  .map(String)
  .filter((path) => /dockerfile[^/]*$/i.test(path));

test.each(dockerfiles)('every base image of %s is an argument pinned by digest', (path) => {
  const text = read('deploy', path);
  const stages = new Set([...text.matchAll(/^FROM .+ AS (\S+)$/gm)].map(([, stage]) => stage));
  const args = new Map(
    [...text.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value] as const),
  );
  const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base ?? '');
  expect(bases.length).toBeGreaterThan(0);
  for (const base of bases.filter((one) => !stages.has(one))) {
    const argument = /^\$\{(\w+)\}$/.exec(base)?.[1];
    expect({ base, pinned: args.get(argument) }).toEqual({
      base,
      pinned: expect.stringMatching(PINNED),
    });
  }
});

test('each container has its own token and those of its callers, and no others', () => {
  const tokensOf = (name: string): string[] => [
    ...new Set(services.get(name)?.match(/\b(?:EDGE|POLICY|RUNNER|CATALOG)_TOKEN\b/g)),
  ];
  const known = Object.fromEntries([...services.keys()].map((name) => [name, tokensOf(name)]));
  expect(known).toEqual({
    postgres: [],
    redis: [],
    migrate: [],
    catalog: ['EDGE_TOKEN', 'POLICY_TOKEN', 'RUNNER_TOKEN', 'CATALOG_TOKEN'],
    policy: ['POLICY_TOKEN', 'EDGE_TOKEN'],
    edge: ['EDGE_TOKEN'],
    runner: ['RUNNER_TOKEN', 'EDGE_TOKEN', 'CATALOG_TOKEN'],
    admin: [],
    simulator: [],
  });
  expect(services.get('edge')).not.toMatch(/INTERNAL_TOKENS|POLICY_TOKEN/);
  expect(services.get('policy')).toMatch(/INTERNAL_TOKEN: \$\{POLICY_TOKEN:/);
  expect(services.get('edge')).toMatch(/INTERNAL_TOKEN: \$\{EDGE_TOKEN:/);
});

test('policy gets the settings of floats from .env; unset they are empty, which is its default', () => {
  for (const name of ['FLOATS', 'FLOATS_FROM_RPS']) {
    expect(services.get('policy')).toContain(`\n      ${name}: \${${name}:-}\n`);
  }
});

test('Compose needs exactly the variables that the README makes up, and no account after the first start', () => {
  const required = [...compose.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
  const [, made = ''] = /cat > \.env <<EOF\n([^]*?)^EOF$/m.exec(read('README.md')) ?? [];
  const account = ['BOOTSTRAP_ADMIN_EMAIL', 'BOOTSTRAP_ADMIN_PASSWORD'];
  const named = [...made.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set([...required, ...account]));
  for (const name of account) expect(compose).toContain(`${name}: \${${name}:-}\n`);
});

test('programs that the runner starts reach neither Redis nor PostgreSQL', () => {
  const networksOf = (name: string): string[] =>
    (/^ {4}networks: \[(.+)\]$/m.exec(services.get(name) ?? '')?.[1] ?? 'default').split(', ');
  expect(networksOf('runner')).toEqual(['mcp']);
  for (const store of ['redis', 'postgres']) expect(networksOf(store)).toEqual(['default']);
});

const defaults = new Map(describeConfig(configShape).map((row) => [row.name, row.default]));

interface Scrape {
  readonly job_name: string;
  readonly static_configs?: readonly { readonly targets: readonly string[] }[];
  readonly dns_sd_configs?: readonly unknown[];
}
const prometheus = parse(read('deploy', 'docker', 'prometheus.yml')) as {
  readonly scrape_configs: readonly Scrape[];
};

/** What Prometheus scrapes of a service. One of a profile must not count as down while it is not wanted. */
function scrapeOf(service: string, port: string): Scrape {
  return services.get(service)?.includes('profiles:') === true
    ? { job_name: service, dns_sd_configs: [{ names: [service], type: 'A', port: Number(port) }] }
    : { job_name: service, static_configs: [{ targets: [`${service}:${port}`] }] };
}

test.each([
  ['edge', 'EDGE_OPS_PORT'],
  ['policy', 'POLICY_HTTP_PORT'],
  ['catalog', 'CATALOG_OPS_PORT'],
  ['runner', 'RUNNER_OPS_PORT'],
])('%s is probed and scraped at %s, which Compose does not publish', (service, variable) => {
  const port = defaults.get(variable) ?? '';
  const stage = read('deploy', 'docker', 'Dockerfile').split(`AS ${service}\n`)[1] ?? '';
  const probe = /HEALTHCHECK .+/.exec(stage)?.[0];
  expect(probe).toContain(`"${variable}", "${port}", "/readyz"`);
  expect(prometheus.scrape_configs).toContainEqual(scrapeOf(service, port));
  expect(services.get(service)).not.toMatch(new RegExp(`:${port}['"]`));
});

const documented = new Map(
  [...read('.env.example').matchAll(/^#(\w+)=(.*)$/gm)].map(
    ([, name = '', value = '']) => [name, value] as const,
  ),
);
const operations = read('docs', 'operations.md');

test('an edge has time to end answers and to hand its settles over before Docker kills it', () => {
  const [, seconds] = /stop_grace_period: (\d+)s/.exec(services.get('edge') ?? '') ?? [];
  expect(Number(seconds)).toBeGreaterThanOrEqual(Number(documented.get('DRAIN_MS')) / 1000 + 25);
});

test('defaults that the page about operations names are those of the services', () => {
  const named = [...operations.matchAll(/`([A-Z][A-Z\d_]+)` \((\d[\d,]*)/g)];
  expect(named.length).toBeGreaterThan(4);
  for (const [, name = '', value = ''] of named) {
    const number = value.replace(/,$/, '').replaceAll(',', '');
    expect({ name, value: number }).toEqual({ name, value: documented.get(name) });
  }
});

test.each([
  ['the example of a proxy', operations, 'client_max_body_size 200m;', 'proxy_read_timeout 600s;'],
  [
    'the Ingress of production.yaml',
    read('deploy', 'helm', 'values', 'production.yaml'),
    'proxy-body-size: 200m',
    "proxy-read-timeout: '600'",
  ],
])('%s allows the bodies and the times that the edge allows', (_, text, size, time) => {
  expect(Number(documented.get('UPLOAD_LIMIT_BYTES'))).toBe(200 * 1024 * 1024);
  expect(documented.get('UPSTREAM_TOTAL_TIMEOUT_MS')).toBe('600000');
  expect(text).toContain(size);
  expect(text).toContain(time);
});
