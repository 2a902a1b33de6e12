import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONNECTED_SERVICES, CONNECTIONS } from '@tollgate/contracts/node';
import { Ajv } from 'ajv';
import { parse } from 'yaml';

import { workspaceRoot } from './services';

// What can be said about the Helm chart without Helm: its values, their types and documents, and
// that it sets variables that the services read. deploy/helm/check.sh renders it and asks an API server.

const CHART = 'deploy/helm/tollgate';
const read = (...path: string[]): string => readFileSync(join(workspaceRoot(), ...path), 'utf8');
const template = (name: string): string => read(CHART, 'templates', name);

interface Tree {
  readonly [key: string]: unknown;
}
const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const schema = JSON.parse(read(CHART, 'values.schema.json')) as Tree;
const defaults = parse(read(CHART, 'values.yaml')) as Tree;
const validate = new Ajv({ strict: true, strictTypes: false, strictRequired: false }).compile(
  schema,
);

/** As Helm merges values: objects deeply, everything else replaced. */
function merged(base: Tree, over: Tree): Tree {
  const entries = Object.entries(over).map(([key, value]) => {
    const below = base[key];
    return [key, isTree(below) && isTree(value) ? merged(below, value) : value] as const;
  });
  return { ...base, ...Object.fromEntries(entries) };
}

function problemsOf(values: Tree): string[] {
  validate(values);
  return (validate.errors ?? []).map(
    ({ instancePath, message = '' }) => `${instancePath} ${message}`,
  );
}

const valueFiles = readdirSync(join(workspaceRoot(), 'deploy/helm/values'));
const valuesOf = (file: string): Tree => parse(read('deploy/helm/values', file)) as Tree;

test('the defaults are valid', () => {
  expect(problemsOf(defaults)).toEqual([]);
});

test.each(valueFiles)('%s is valid', (file) => {
  expect(problemsOf(merged(defaults, valuesOf(file)))).toEqual([]);
});

test('there are six files of example values', () => {
  expect(valueFiles).toHaveLength(6);
});

test.each<[string, Tree]>([
  ['/edge must NOT have additional properties', { edge: { replica: 3 } }],
  ['/edge/replicas must be integer', { edge: { replicas: '3' } }],
  ['/edge/env property name must be valid', { edge: { env: { DRAIN_MS: '1' } } }],
  ['/runner/commands must NOT have more than 0 properties', { runner: command() }],
  ['/gateway/parentRefs must NOT have fewer than 1 items', { gateway: { enabled: true } }],
  ['/policy/callers/0/name must NOT be valid', { policy: { callers: [caller('edge')] } }],
  [
    '/bootstrap/documents property name must be valid',
    { bootstrap: { documents: { notes: 'kind: Team' } } },
  ],
  ['/networkPolicy/redisPorts/0 must be <= 65535', { networkPolicy: { redisPorts: [70_000] } }],
])('the schema refuses: %s', (problem, values) => {
  expect(problemsOf(merged(defaults, values))).toContain(problem);
});

function command(): Tree {
  return { commands: { files: { command: '/bin/x' } } };
}

function caller(name: string): Tree {
  return { name, secretKey: 'TOKEN' };
}

/** The paths of all values. Maps whose keys users choose are one value. */
function pathsOf(value: unknown, types: unknown, prefix = ''): string[] {
  const properties = isTree(types) ? types['properties'] : undefined;
  if (!isTree(properties)) return [prefix];
  const keys = isTree(value) ? Object.keys(value) : Object.keys(properties);
  return keys.flatMap((key) =>
    pathsOf(isTree(value) ? value[key] : undefined, resolved(properties[key]), `${prefix}/${key}`),
  );
}

function resolved(types: unknown): unknown {
  const reference = isTree(types) ? types['$ref'] : undefined;
  if (typeof reference !== 'string') return types;
  return (schema['definitions'] as Tree)[reference.replace('#/definitions/', '')];
}

test('every value has a type, and every typed value a default', () => {
  // Helm itself adds global; these have parts that are set together or not at all.
  const optional = ['/global', '/tls/issuerRef', '/gateway/timeouts'];
  const counted = (paths: string[]) =>
    paths.filter(
      (path) => !optional.some((one) => path.startsWith(one)) && !path.includes('/resources/'),
    );
  expect(counted(pathsOf(defaults, schema)).toSorted()).toEqual(
    counted(pathsOf(undefined, schema)).toSorted(),
  );
});

test('the README has every value with its comment and default', () => {
  const script = join(workspaceRoot(), 'scripts/chart-values.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

interface Variable {
  readonly readers: readonly string[];
  readonly fallback: string;
}

/** The variables of .env.example, which is written from the services' configuration. */
const variables = new Map<string, Variable>();
let group = '';
let notes = '';
for (const line of read('.env.example').split('\n')) {
  group = /^# ---- (.+?) -+$/.exec(line)?.[1] ?? group;
  const [, name, fallback = ''] = /^#?([A-Za-z_]+)=(.*)$/.exec(line) ?? [];
  if (name === undefined) notes = line === '' ? '' : `${notes} ${line.slice(2)}`;
  else variables.set(name, { fallback, readers: readersIn(notes, group) });
}

function readersIn(text: string, heading: string): string[] {
  return /read by ([^)]*)\)/.exec(text)?.[1]?.split(', ') ?? [heading];
}

/** The text of a named template. */
function definition(name: string, file: string): string {
  const text = template(file).split(`{{- define "${name}" -}}`)[1] ?? '';
  return text.split('{{- define ')[0] ?? '';
}

/** The variables that a named template sets, and those of the templates that it includes. */
function variablesSet(name: string): string[] {
  const text = definition(name, '_env.tpl');
  expect(text).not.toBe('');
  const own = [...text.matchAll(/- name: ([A-Z_]+)$|"name" "([A-Z_]+)"/gm)].map(
    ([, plain, secret]) => plain ?? secret ?? '',
  );
  const included = [...text.matchAll(/include "(tollgate\.\w+Env)"/g)]
    .map(([, other]) => other ?? '')
    .filter((other) => other !== 'tollgate.secretEnv')
    .flatMap(variablesSet);
  return [...own, ...included];
}

/** Parts of other variables, which no service reads. */
const PARTS = ['POSTGRES_PASSWORD', 'POD_NAME', 'EDGE_TOKEN'];

test.each(CONNECTED_SERVICES)('%s reads every variable that the chart sets', (service) => {
  const set = variablesSet(`tollgate.${service}.env`).filter((name) => !PARTS.includes(name));
  expect(set.length).toBeGreaterThan(5);
  const unread = set.filter((name) => !variables.get(name)?.readers.includes(service));
  expect(unread).toEqual([]);
});

test.each(CONNECTED_SERVICES)('%s gets every variable that it needs', (service) => {
  const set = new Set(variablesSet(`tollgate.${service}.env`));
  const needed = [...variables]
    .filter(([, { readers }]) => readers.includes(service))
    .map(([name]) => name)
    .filter((name) => new RegExp(`^${name}=`, 'm').test(read('.env.example')));
  expect(needed.filter((name) => !set.has(name))).toEqual([]);
});

test('the schema reserves exactly the variables that the chart sets', () => {
  const set = CONNECTED_SERVICES.flatMap((service) => variablesSet(`tollgate.${service}.env`));
  const wired = [...new Set(set)].filter((name) => !PARTS.includes(name));
  const { env } = schema['definitions'] as { env: { propertyNames: { not: { enum: string[] } } } };
  expect(env.propertyNames.not.enum.toSorted()).toEqual(wired.toSorted());
});

test.each(valueFiles)('%s sets only variables that the service reads', (file) => {
  const values = valuesOf(file);
  for (const service of CONNECTED_SERVICES) {
    const { env = {} } = (values[service] ?? {}) as { env?: Tree };
    for (const name of Object.keys(env)) {
      const readers = variables.get(name)?.readers ?? [];
      expect({ name, read: readers.includes(service) }).toEqual({ name, read: true });
    }
  }
});

test('the ports are the defaults of the services', () => {
  const ports = parse(definition('tollgate.ports', '_names.tpl').split('{{- end }}')[0] ?? '');
  const port = (name: string): number => Number(variables.get(name)?.fallback);
  expect(ports).toMatchObject({
    edge: { http: port('EDGE_PORT'), ops: port('EDGE_OPS_PORT') },
    policy: { grpc: port('POLICY_GRPC_PORT'), ops: port('POLICY_HTTP_PORT') },
    catalog: {
      http: port('CATALOG_PORT'),
      grpc: port('CATALOG_GRPC_PORT'),
      ops: port('CATALOG_OPS_PORT'),
    },
    runner: { http: port('RUNNER_PORT'), ops: port('RUNNER_OPS_PORT') },
    admin: { http: port('ADMIN_PORT') },
  });
});

test('network policies are made from the table of connections', () => {
  const {
    bootstrap,
    migrate,
    test: tests,
    ...services
  } = parse(read(CHART, 'files/network.yaml')) as Tree;
  expect(services).toEqual(CONNECTIONS);
  expect(migrate).toEqual({ stores: ['postgresql'] });
  expect(bootstrap).toEqual({ calls: { catalog: ['http'] } });
  // The test asks what clients ask.
  expect(tests).toEqual({ calls: { edge: ['http'], catalog: ['http'], admin: ['http'] } });
});

test('the alert rules of the chart are those that Prometheus is given elsewhere', () => {
  expect(read(CHART, 'files/observability/alerts.yml')).toBe(
    read('deploy/observability/alerts.yml'),
  );
});

test('the time that a pod may take to stop is that of its process', () => {
  const edge = read('apps/edge/src/main.ts');
  expect(edge).toContain('DRAIN_MS + Math.max(lingerMs, RETIRED_LINGER_MS) + 15_000');
  expect(read('apps/edge/src/linger.ts')).toContain('RETIRED_LINGER_MS = 5_000');
  expect(template('edge.yaml')).toContain(
    '(ceil (divf $v.drainMs 1000)) (max 5 (ceil (divf $v.lingerMs 1000))) 15',
  );
  expect(read('apps/catalog/src/main.ts')).toContain('STOP_TIMEOUT_MS = 20_000');
  expect(template('catalog.yaml')).toContain('"graceSeconds" 20');
});

test('every pod has the security context of the level restricted', () => {
  const files = readdirSync(join(workspaceRoot(), CHART, 'templates'), { recursive: true })
    .map(String)
    .filter((file) => /\.(yaml|tpl)$/.test(file));
  const pods = files.filter((file) => template(file).includes('containers:'));
  expect(pods.toSorted()).toEqual([
    '_pod.tpl',
    '_store.tpl',
    'bootstrap.yaml',
    'development.yaml',
    'migrate.yaml',
    'tests/installation.yaml',
  ]);
  for (const file of pods) {
    const text = template(file);
    for (const part of ['tollgate.podSecurity', 'tollgate.containerSecurity']) {
      expect({ file, part, used: text.includes(`include "${part}"`) }).toMatchObject({
        used: true,
      });
    }
    expect({ file, text }).toMatchObject({
      text: expect.stringContaining('automountServiceAccountToken: false'),
    });
  }
});
