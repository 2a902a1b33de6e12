import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fail } from '../command-line';
import { table } from '../gateway/report';
import { undoing } from '../undoing';
import { burst, type BurstRow } from './burst';
import { BURST, UPSTREAM_DELAY_MS, type Candidate } from './candidate';
import { kill, type KillRow } from './kill';
import { HELP, parseLimits, type LimitsOptions } from './options';
import { peerCandidate } from './peer';
import { breachesOf } from './promises';
import { startCandidate } from './tollgate';
import { startCountingUpstream, type CountingUpstream } from './upstream';

/** `npm run bench:limits`: see docs/benchmarks.md. */

const say = (line: string): void => console.error(new Date().toISOString().slice(11, 19), line);

interface Rows {
  readonly bursts: BurstRow[];
  readonly kills: KillRow[];
}

async function main(): Promise<void> {
  const options = parseLimits(process.argv.slice(2));
  if (options === undefined) {
    console.log(HELP);
    return;
  }
  const rows = await undoing(async (undo) => {
    const dir = await mkdtemp(join(tmpdir(), 'tollgate-limits-'));
    undo.push(() => rm(dir, { recursive: true, force: true }));
    const upstream = await startCountingUpstream({
      port: options.upstreamPort,
      delayMs: UPSTREAM_DELAY_MS,
      outputTokens: BURST.maxTokens,
    });
    undo.push(upstream.stop);
    const ours = options.tollgate ? [await startCandidate(dir, upstream.url, undo)] : [];
    return testAll([...ours, ...options.peers.map(peerCandidate)], upstream, options);
  });
  print(rows);
  const date = new Date().toISOString().slice(0, 10);
  const breaches = breachesOf(rows);
  if (options.json !== undefined) {
    await writeFile(options.json, `${JSON.stringify({ date, ...rows, breaches }, null, 2)}\n`);
  }
  for (const breach of breaches) console.log(`BREACH ${breach}`);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}

async function testAll(
  candidates: readonly Candidate[],
  upstream: CountingUpstream,
  options: LimitsOptions,
): Promise<Rows> {
  const rows: Rows = { bursts: [], kills: [] };
  for (const candidate of candidates) {
    if (options.burst) {
      say(`burst: ${candidate.name}`);
      const row = await burst(candidate, upstream);
      if (row !== undefined) rows.bursts.push(row);
    }
    for (const way of options.kill ? candidate.kills : []) {
      say(`kill -9: ${candidate.name}, ${way.what}`);
      rows.kills.push(await kill(candidate, way, upstream, options));
    }
  }
  return rows;
}

function print({ bursts, kills }: Rows): void {
  if (bursts.length > 0) {
    const head = ['gateway', 'asked at once', 'affordable', 'served', 'at the provider', 'answers'];
    const lines = bursts.map((row) => [
      row.name,
      ...[row.asked, row.affordable, row.served, row.began].map(String),
      answersIn(row.answers),
    ]);
    console.log(`\nBurst\n\n${table(head, lines)}`);
  }
  if (kills.length === 0) return;
  const head = ['gateway', 'killed', 'answered', 'at the provider', 'recorded', 'answers'];
  const lines = kills.map((row) => [
    row.name,
    row.killed,
    ...[row.answered, row.began, row.recorded].map(String),
    answersIn(row.answers),
  ]);
  console.log(`\nkill -9\n\n${table(head, lines)}`);
}

const answersIn = (answers: Readonly<Record<string, number>>): string =>
  Object.entries(answers)
    .map(([answer, count]) => `${String(count)} × ${answer}`)
    .join(', ');

void main().catch(fail);
