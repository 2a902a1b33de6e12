// Test files start with the same schema, and making a cluster with it takes as long as many of them do.
// So it is made once for each state of its sources, kept stopped, and copied for each server.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { nativeFolder, startPostgres, type PostgresServer } from './postgres';

export interface PreparedCluster {
  /** Folder of the kept clusters, one for each state. */
  readonly cache: string;
  /** Folders of the code whose change makes a kept cluster out of date. */
  readonly sources: readonly string[];
  /** What else the content depends on; default nothing. */
  readonly state?: string;
  /** Fills the databases of a new cluster. */
  readonly prepare: (server: PostgresServer) => Promise<void>;
}

const run = promisify(execFile);

/** A kept cluster that nothing has used for this long is of an older state of the sources. */
const UNUSED_MS = 86_400_000;

/** A server on a copy of the cluster, for tests only; `stop` removes the copy. */
export async function startPreparedPostgres(wanted: PreparedCluster): Promise<PostgresServer> {
  const cluster = join(wanted.cache, await stateOf(wanted));
  if (existsSync(cluster)) await utimes(cluster, new Date(), new Date());
  else await makeCluster(cluster, wanted);
  const dir = await mkdtemp(join(tmpdir(), 'tollgate-postgres-'));
  const removeCopy = (): Promise<void> => rm(dir, { recursive: true, force: true });
  try {
    // Keeps the owner, who is another user where PostgreSQL may not run as this one.
    await run('cp', ['-a', `${cluster}/.`, dir]);
    const server = await startPostgres({ volatile: true, dir });
    return { ...server, stop: () => server.stop().finally(removeCopy) };
  } catch (error) {
    await removeCopy();
    throw error;
  }
}

async function stateOf({ sources, state = '' }: PreparedCluster): Promise<string> {
  const hash = createHash('sha256').update(nativeFolder()).update(state);
  for (const folder of sources) {
    for (const name of (await readdir(folder, { recursive: true })).toSorted()) {
      if (!/\.[jt]s$/.test(name)) continue;
      hash.update(name).update(await readFile(join(folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

async function makeCluster(cluster: string, { cache, prepare }: PreparedCluster): Promise<void> {
  await mkdir(cache, { recursive: true });
  await removeUnused(cache);
  const building = await mkdtemp(join(cache, 'building-'));
  try {
    const server = await startPostgres({ volatile: true, dir: building });
    try {
      await prepare(server);
    } finally {
      await server.stop();
    }
    await rename(building, cluster);
  } catch (error) {
    await rm(building, { recursive: true, force: true });
    // Another process was first with the same cluster.
    if (!existsSync(cluster)) throw error;
  }
}

async function removeUnused(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const folder = join(cache, name);
    // Another process may remove or rename it at the same time.
    const usedMs = (await stat(folder).catch(() => undefined))?.mtimeMs ?? Date.now();
    if (Date.now() - usedMs < UNUSED_MS) continue;
    await rm(folder, { recursive: true, force: true });
  }
}
