import { spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';

import { runMain, whole } from '../command-line';
import { startGateway, undo, type Gateway } from '../gateway/gateway';
import { newTenant } from '../gateway/tenant';
import { countsOf, quantile, runBurst, type BurstResult } from './burst';

// `npm run burst`: many concurrent calls through a whole gateway with its own deadlines, on a
// machine with the load of the options. It fails if a call was neither served nor refused with
// retry-after.

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '900' },
    'at-once': { type: 'string', default: '300' },
    keys: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    busy: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: false,
});

const HELP = `npm run burst -- [options]
  --calls N     calls of one round (900)
  --at-once N   calls that run at the same time (300)
  --keys N      API keys that they use in turn (1)
  --rounds N    rounds, the first on a gateway that has just started (3)
  --busy N      loops that keep processors busy beside it (0)
`;

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const burst = { calls: wholeOption('calls', 1), atOnce: wholeOption('at-once', 1) };
  const rounds = wholeOption('rounds', 1);
  const keyCount = wholeOption('keys', 1);
  const busy = wholeOption('busy', 0);
  const cleanup: (() => Promise<unknown>)[] = [];
  let wrong = 0;
  try {
    const gateway = await startGateway({ ownDeadlines: true });
    cleanup.push(gateway.stop);
    const tenant = await newTenant(gateway);
    const keys: string[] = [];
    for (let n = 0; n < keyCount; n += 1) keys.push((await tenant.key({ name: `key ${n}` })).key);
    for (let n = 0; n < busy; n += 1) cleanup.push(startLoop());
    process.stdout.write(`load ${loadavg()[0]?.toFixed(2) ?? '?'}, ${busy} busy loops beside it\n`);
    for (let round = 1; round <= rounds; round += 1) {
      const result = await runBurst(gateway.edgeUrl(), keys, burst);
      process.stdout.write(lineOf(round, result));
      wrong += result.replies.filter(isWrong).length;
    }
    process.stdout.write(await sessionLossesOf(gateway));
  } finally {
    await undo(cleanup);
  }
  process.stdout.write(wrong === 0 ? 'No call failed.\n' : `${wrong} calls failed.\n`);
  return wrong === 0 ? 0 : 1;
}

/** The sessions between edge and policy that ended, with their reasons. */
async function sessionLossesOf(gateway: Gateway): Promise<string> {
  const lines = (await gateway.logs()).split('\n');
  return lines
    .filter((line) => line.includes('policy session closed'))
    .map((line) => `${line}\n`)
    .join('');
}

/** A refusal for overload with retry-after is not a failure. */
function isWrong({ status, code, retryAfter }: BurstResult['replies'][number]): boolean {
  return status !== 200 && !(code === 'overloaded' && retryAfter === '1');
}

function lineOf(round: number, { replies, healthMs, seconds }: BurstResult): string {
  const times = replies.map(({ ms }) => ms);
  const refused = replies.filter(({ status }) => status !== 200).map(({ ms }) => ms);
  const cells = [
    `round ${round}: ${seconds.toFixed(1)} s`,
    Object.entries(countsOf(replies))
      .map(([name, count]) => `${count} × ${name}`)
      .join(', '),
    `ms p50 ${quantile(times, 0.5).toFixed(0)} p99 ${quantile(times, 0.99).toFixed(0)}`,
    `refused p50 ${quantile(refused, 0.5).toFixed(0)}`,
    `health p50 ${quantile(healthMs, 0.5).toFixed(0)} max ${quantile(healthMs, 1).toFixed(0)}`,
  ];
  return `${cells.join(' | ')}\n`;
}

function startLoop(): () => Promise<void> {
  const child = spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  return async () => {
    child.kill('SIGKILL');
    await ended;
  };
}

/** An option that is a whole number. */
const wholeOption = (name: Exclude<keyof typeof values, 'help'>, least: number): number =>
  whole(name, values[name], least);

runMain(main);
