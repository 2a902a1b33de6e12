import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import { runMain } from '../command-line';
import { INPUTS, SHORT } from './inputs';
import { LIMITS, PATIENT_LIMITS } from './limits';
import { linesOf, titles } from './report';
import { runInput, warmUp } from './row';
import { startWorld, type World } from './world';

// `npm run abuse`: one hostile input after another, with other callers in parallel. It fails if
// those callers are affected, the edge grows, or a process ends.

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    short: { type: 'boolean', default: false },
    patient: { type: 'boolean', default: false },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: false,
});

const HELP = `npm run abuse -- [options]
  --short        the inputs of continuous integration
  --patient      the latency limit of continuous integration, for a machine that is busy
  --only TEXT    inputs whose name holds TEXT; may be given more than once
  --json FILE    write the rows there too
  --list         name the inputs
`;

interface Judged {
  readonly breaches: readonly string[];
}

async function runInputs(world: World): Promise<Judged[]> {
  const rows: Judged[] = [];
  process.stdout.write(titles());
  for (const input of wanted()) {
    const row = await runInput(world, input, values.patient ? PATIENT_LIMITS : LIMITS);
    rows.push(row);
    process.stdout.write(linesOf(row));
  }
  return rows;
}

const wanted = (): typeof INPUTS =>
  INPUTS.filter(
    ({ name }) =>
      (!values.short || SHORT.includes(name)) &&
      (values.only === undefined || values.only.some((text) => name.includes(text))),
  );

/** The services have process groups of their own, so Ctrl-C reaches this process alone. */
function stopWhenInterrupted(starting: Promise<World>): void {
  const stop = (): void => {
    void starting
      .then((world) => world.stop())
      .catch((error: unknown) => process.stderr.write(`${String(error)}\n`))
      .finally(() => process.exit(1));
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  process.once('uncaughtException', (error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`);
    stop();
  });
}

async function main(): Promise<number> {
  if (values.help || values.list) {
    process.stdout.write(
      values.list
        ? wanted()
            .map(({ name }) => `${name}\n`)
            .join('')
        : HELP,
    );
    return 0;
  }
  if (wanted().length === 0) throw new Error('no input of that name: see --list');
  const starting = startWorld();
  stopWhenInterrupted(starting);
  const world = await starting;
  let judged: Judged[];
  try {
    await warmUp(world);
    judged = await runInputs(world);
  } finally {
    await world.stop();
  }
  if (values.json !== undefined) {
    await writeFile(values.json, `${JSON.stringify(judged, null, 2)}\n`);
  }
  const breached = judged.filter(({ breaches }) => breaches.length > 0).length;
  process.stdout.write(`\n${String(judged.length)} rows, ${String(breached)} with a breach.\n`);
  return breached === 0 ? 0 : 1;
}

runMain(main);
