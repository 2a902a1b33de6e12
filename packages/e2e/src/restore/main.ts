import { parseArgs } from 'node:util';

import { realRedis } from '../gateway/gateway';
import { REDIS, restoreDrill, type Drill, type RedisFate } from './drill';
import { differences, PHASES, usd } from './expected';

// `npm run restore-drill`: PostgreSQL is lost and restored to an earlier moment, with what may
// happen to Redis beside it. It fails unless what is lost is what docs/operations.md says.

const HELP = `npm run restore-drill -- [options]
  --redis FATE    only this: ${REDIS.join(', ')}
  --requests N    of each phase (25)
  --epochs N      how often Redis is lost after the moment, before PostgreSQL is (2)
`;

const { values } = parseArgs({
  options: {
    redis: { type: 'string' },
    requests: { type: 'string', default: '25' },
    epochs: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: false,
});

function whole(name: 'requests' | 'epochs', least: number): number {
  const number = Number(values[name]);
  if (!Number.isSafeInteger(number) || number < least || number > 10_000)
    throw new RangeError(`--${name} must be ${String(least)} to 10000`);
  return number;
}

function fates(): readonly RedisFate[] {
  if (values.redis === undefined) return REDIS;
  const fate = REDIS.find((one) => one === values.redis);
  if (fate === undefined) throw new RangeError(`--redis must be one of ${REDIS.join(', ')}`);
  return [fate];
}

function print(redis: RedisFate, drill: Drill): void {
  const rows = PHASES.map(
    ([phase, name]) =>
      `  ${name.padEnd(28)}${String(drill.served[phase]).padStart(8)}${String(drill.lost[phase]).padStart(14)}`,
  );
  process.stdout.write(
    [
      `\nRedis ${redis}`,
      `  ${'requests'.padEnd(28)}${'served'.padStart(8)}${'without record'.padStart(16)}`,
      ...rows,
      `  billed by the upstream and in no record: ${usd(drill.lostNanoUsd)}`,
      `  a key made after the moment is answered ${String(drill.keyMadeAfter)}, one revoked after it ${String(drill.keyRevokedAfter)}`,
      `  counters that disagree before shards are opened again: ${String(drill.disagreeing)}`,
      `  ledger:verify ${drill.agrees ? 'agrees' : `does not agree: ${drill.breaches.join('; ')}`}`,
      '',
    ].join('\n'),
  );
}

async function main(): Promise<number> {
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (!realRedis()) throw new Error('no redis-server on the PATH: its stand-in keeps no file');
  const [requests, epochs] = [whole('requests', 1), whole('epochs', 0)];
  let wrong = 0;
  for (const redis of fates()) {
    const say = (line: string): unknown => process.stderr.write(`${line}\n`);
    const drill = await restoreDrill({ redis, requests, epochs, say });
    print(redis, drill);
    for (const one of differences(drill)) {
      wrong += 1;
      process.stdout.write(`  DIFFERENT ${one}\n`);
    }
  }
  process.stdout.write(wrong === 0 ? '\nas described\n' : `\n${String(wrong)} differences\n`);
  return wrong === 0 ? 0 : 1;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = 2;
  },
);
