// Writes .env.example from the configuration tables of the services: every variable with its
// description, its unit and its default. `--check` writes nothing and fails when the file has
// drifted.
//
// It reads the build (dist), not the sources: plain Node can load it, and it is the very table that
// the services start with. So a build comes first; a service without one is an error, because a
// file without its variables would look complete.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const target = join(root, '.env.example');
const load = createRequire(import.meta.url);

// In the order of the file. The console is a Next.js app without a dist of its own; Node strips the
// types of its src/config.ts, if there is one. The launcher only passes variables on, so it does
// not define defaults.
const READERS = [
  { name: 'catalog', folder: 'apps/catalog' },
  { name: 'policy', folder: 'apps/policy' },
  { name: 'edge', folder: 'apps/edge' },
  { name: 'runner', folder: 'apps/runner' },
  { name: 'admin', folder: 'apps/admin', config: 'src/config.ts', optional: true },
  { name: 'simulator', folder: 'packages/simulator' },
  { name: 'npm start', folder: 'packages/stack', launcher: true },
];

const HEAD = `# Every variable that the services read, with what it does, its unit and its default.
# Written by scripts/env-example.mjs from each service's config.ts: change it there.
#
# A line that begins with a name must be given a value; a commented one shows the default. An empty
# value counts as unset. Where _FILE is offered, NAME_FILE may name a file that holds the value.
# \`npm start\` needs none of them.
`;

main();

function main() {
  const { describeConfig } = built('packages/kit/dist/index.js');
  const rows = READERS.flatMap((reader) =>
    describeConfig(shapeOf(reader)).map((row) => ({ ...row, reader })),
  );
  const text = `${HEAD}${groupsOf(rows).map(printGroup).join('')}`;

  if (!process.argv.includes('--check')) {
    writeFileSync(target, text);
    return;
  }
  const current = existsSync(target) ? readFileSync(target, 'utf8') : '';
  if (current === text) return;
  fail(
    `.env.example is not what the services read; run: node scripts/env-example.mjs\n${difference(current, text)}`,
  );
}

function shapeOf({ folder, config = 'dist/config.js', optional }) {
  if (optional && !existsSync(join(root, folder, config))) return {};
  const { configShape } = built(`${folder}/${config}`);
  if (!configShape) fail(`${folder}/src/config.ts exports no configShape`);
  return configShape;
}

function built(path) {
  const file = join(root, path);
  if (!existsSync(file)) fail(`${path} is missing: build first`);
  return load(file);
}

// One group for shared variables, then one per service. A variable that otherwise only the launcher
// reads stays with its service.
function groupsOf(rows) {
  const byName = Map.groupBy(rows, (row) => row.name);
  const groups = new Map([['several services', []], ...READERS.map(({ name }) => [name, []])]);
  for (const [name, readings] of byName) {
    const services = readings.filter((row) => !row.reader.launcher);
    agree(name, services);
    const [first] = services.length > 0 ? services : readings;
    const group = services.length > 1 ? 'several services' : first.reader.name;
    groups.get(group).push({ ...first, readers: readings.map((row) => row.reader.name) });
  }
  return [...groups].filter(([, variables]) => variables.length > 0);
}

// A variable has one meaning: two services that read it must agree on everything except the
// wording.
function agree(name, rows) {
  const meanings = new Set(
    rows.map(({ kind, unit, default: value, secret }) =>
      JSON.stringify([kind, unit, value, secret]),
    ),
  );
  if (meanings.size < 2) return;
  fail(`${name} means different things to ${rows.map((row) => row.reader.name).join(' and ')}`);
}

function printGroup([title, variables]) {
  return `\n# ---- ${title} ${'-'.repeat(80 - title.length)}\n${variables.map(printVariable).join('')}`;
}

function printVariable(row) {
  const facts = [
    row.unit === undefined ? row.kind : `${row.kind} in ${row.unit}`,
    row.secret ? `${row.kind === 'secret' ? '' : 'secret, '}or ${row.name}_FILE` : undefined,
    row.required
      ? 'required'
      : `default: ${row.default === undefined || row.default === '' ? 'none' : row.default}`,
    row.readers.length > 1 ? `read by ${row.readers.join(', ')}` : undefined,
  ].filter((fact) => fact !== undefined);
  const lines = [...wrap(row.description), ...wrap(`(${facts.join('; ')})`)];
  const setting = `${row.required ? '' : '#'}${row.name}=${row.default ?? ''}`;
  return `\n${lines.map((line) => `# ${line}\n`).join('')}${setting}\n`;
}

function wrap(text, width = 96) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

function difference(current, wanted) {
  const have = new Set(current.split('\n'));
  const want = new Set(wanted.split('\n'));
  const gone = [...have].filter((line) => !want.has(line)).map((line) => `- ${line}`);
  const come = [...want].filter((line) => !have.has(line)).map((line) => `+ ${line}`);
  return [...gone, ...come].slice(0, 40).join('\n');
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
