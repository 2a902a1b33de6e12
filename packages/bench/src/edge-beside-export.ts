import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';

import { measure, median, type Measured } from './gateway/measure';
import { latencyTable } from './gateway/report';
import { createRest } from './gateway/rest';
import { UNARY } from './gateway/scenarios';
import { startUpstream } from './gateway/target';
import { startTollgate, type Tollgate } from './gateway/tollgate';
import { ADMIN } from './time-queries';
import type { Undo } from './undoing';

const ROUNDS = 3;
const SECONDS = 15;
const PER_SECOND = 100;
const EXPORT_DAYS = 90;
const DAY_MS = 86_400_000;

/**
 * A whole gateway on a database that `load` has filled: the edge's latency at a fixed rate (open
 * loop), alternately alone and during exports of the largest organisation's records.
 */
export async function edgeBesideExport(
  url: string,
  say: (line: string) => void,
  undo: Undo,
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  undo.push(() => rm(dir, { recursive: true, force: true }));
  const upstream = await startUpstream(undo);
  const database = { url, ...ADMIN };
  const gateway = await startTollgate({ dir, upstreamUrl: upstream.url, keys: 1, database }, undo);
  const path = await exportPath(url);
  const load = { seconds: SECONDS, perSecond: PER_SECOND, connections: 64, warmUpSeconds: 2 };
  await measure(UNARY, gateway, { ...load, seconds: 5 });
  const alone: Measured[] = [];
  const beside: Measured[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    alone.push({ ...(await measure(UNARY, gateway, load)), target: 'alone' });
    const exporting = await startExporting(gateway, path);
    beside.push({ ...(await measure(UNARY, gateway, load)), target: 'beside an export' });
    const megabytes = (await exporting.stop()) / 1e6;
    say(`round ${round}: ${megabytes.toFixed(0)} MB exported meanwhile`);
  }
  const middle = (all: readonly Measured[]): Measured => median(all, (one) => one.totalUs.p99);
  const rows = [middle(alone), middle(beside)];
  say(`edge, ${PER_SECOND} requests a second\n${latencyTable(rows)}`);
}

async function exportPath(url: string): Promise<string> {
  const pool = new Pool({ connectionString: url, max: 1 });
  try {
    const { rows } = await pool.query<{ id: string }>(
      `SELECT id FROM organisation WHERE slug = 'org-1'`,
    );
    const from = new Date(Date.now() - EXPORT_DAYS * DAY_MS).toISOString();
    return `/api/organisations/${rows[0]?.id ?? ''}/usage/records/export?from=${from}`;
  } finally {
    await pool.end();
  }
}

/** Runs exports one after another; `stop` aborts the last one and returns the bytes of all. */
async function startExporting(
  { catalogUrl }: Tollgate,
  path: string,
): Promise<{ stop: () => Promise<number> }> {
  const rest = await createRest(catalogUrl, ADMIN.email, ADMIN.password);
  const stopped = new AbortController();
  const run = async (): Promise<number> => {
    let bytes = 0;
    while (!stopped.signal.aborted) bytes += await rest.drain(path, stopped.signal);
    return bytes;
  };
  const running = run();
  return {
    stop: () => {
      stopped.abort();
      return running;
    },
  };
}
