import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from '@tollgate/stack';

/**
 * Sends SIGSTOP or SIGCONT to all processes of a PostgreSQL server, because the postmaster alone
 * handles only new connections. Without /proc, which lists the other processes, only the postmaster
 * gets it.
 */
export function signalPostgres(postgres: PostgresServer, signal: 'SIGSTOP' | 'SIGCONT'): void {
  postgres.kill(signal);
  if (!existsSync('/proc/self/cwd')) return;
  const folder = realpathSync(join(postgres.dir, 'data'));
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    try {
      if (readlinkSync(`/proc/${pid}/cwd`) === folder) process.kill(Number(pid), signal);
    } catch {
      // Another user's process, or one that has ended: not part of the server.
    }
  }
}
