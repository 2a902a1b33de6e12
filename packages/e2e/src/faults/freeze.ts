import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresServer } from '@tollgate/stack';

/**
 * SIGSTOP or SIGCONT to all of a PostgreSQL server's processes: the postmaster alone takes new
 * connections only, and those that are open would be served on. Where there is no /proc to find the
 * others by, it is the postmaster alone.
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
      // Another user's, or one that has ended meanwhile: none of the server's.
    }
  }
}
