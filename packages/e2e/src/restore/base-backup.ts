import { existsSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresServer } from '@tollgate/stack';
import { Client } from 'pg';

import { eventually } from '..';

// A base backup with an archive of the write-ahead log, and recovery to a named moment, with
// nothing but the server itself: https://www.postgresql.org/docs/current/continuous-archiving.html

export interface Backup {
  /** Names the present moment, to which `restore` can go. */
  readonly mark: (moment: string) => Promise<void>;
  /** Kills the server and removes its data: a lost disk. */
  readonly destroy: () => Promise<void>;
  /** Starts the server from the backup, as it was at the moment. */
  readonly restore: (moment: string) => Promise<void>;
}

/** The log comes from the archive; the pid file is this server's; the others are temporary and may vanish during the copy. */
const LEFT_OUT = /postmaster\.pid$|pg_wal\/.|pgsql_tmp|pg_internal\.init/;

/** Switches the archive on, which takes a restart, and takes a backup into `dir`. */
export async function takeBackup(postgres: PostgresServer, dir: string): Promise<Backup> {
  const data = join(postgres.dir, 'data');
  const base = join(dir, 'base');
  const archive = join(dir, 'archive');
  await mkdir(archive, { recursive: true });
  await query(postgres, [
    'alter system set archive_mode = on',
    `alter system set archive_command = 'cp %p ${archive}/%f'`,
  ]);
  await postgres.restart();
  const label = await session(postgres, async (client) => {
    // The backup ends with the session that began it.
    await client.query(`select pg_backup_start('drill', true)`);
    await cp(data, base, { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop()',
    );
    return rows[0]?.labelfile ?? '';
  });
  await writeFile(join(base, 'backup_label'), label);
  return {
    mark: (moment) =>
      session(postgres, async (client) => {
        const point = 'select pg_walfile_name(pg_create_restore_point($1)) as file';
        const { rows } = await client.query<{ file: string }>(point, [moment]);
        await client.query('select pg_switch_wal()');
        const file = rows[0]?.file ?? '';
        await eventually(`${file} is archived`, () =>
          Promise.resolve(existsSync(join(archive, file))),
        );
      }),
    destroy: async () => {
      postgres.kill('SIGKILL');
      await postgres.process().stop('SIGKILL');
      await rm(data, { recursive: true });
    },
    restore: async (moment) => {
      await cp(base, data, { recursive: true });
      await writeFile(join(data, 'recovery.signal'), '');
      await writeFile(
        join(data, 'postgresql.auto.conf'),
        `restore_command = 'cp ${archive}/%f %p'
recovery_target_name = '${moment}'
recovery_target_action = 'promote'
archive_mode = off
`,
      );
      await postgres.restart();
      await eventually('the server is no standby', () =>
        session(postgres, async (client) => {
          const { rows } = await client.query<{ standby: boolean }>(
            'select pg_is_in_recovery() as standby',
          );
          return rows[0]?.standby === false;
        }),
      );
    },
  };
}

async function query(postgres: PostgresServer, texts: readonly string[]): Promise<void> {
  await session(postgres, async (client) => {
    for (const text of texts) await client.query(text);
  });
}

async function session<T>(
  { url }: PostgresServer,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
