import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { Client } from 'pg';

import {
  freePort,
  redisCommand,
  startJsRedis,
  startPostgres,
  startRedis,
  startRedisCluster,
} from '.';

function installed(binary: string): boolean {
  try {
    execFileSync(binary, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const real = installed('redis-server') || process.env['REQUIRE_REAL'] === '1';

test('PostgreSQL keeps its data over kill -9, and starts again', async () => {
  const server = await startPostgres();
  try {
    const url = await server.createDatabase('kept');
    const first = new Client({ connectionString: url });
    await first.connect();
    await first.query('create table kept (n int)');
    await first.query('insert into kept values (7)');
    await first.end();
    server.kill('SIGKILL');
    await server.restart();
    const second = new Client({ connectionString: url });
    await second.connect();
    expect((await second.query('select n from kept')).rows).toEqual([{ n: 7 }]);
    await second.end();
  } finally {
    await server.stop();
  }
});

test('PostgreSQL starts again while a query of the killed server still runs', async () => {
  const server = await startPostgres();
  try {
    const busy = new Client({ connectionString: server.url });
    await busy.connect();
    // A server process checks for its parent only after the sum.
    const sum = busy.query('select sum(n * n) from generate_series(1, 8000000) n').catch(() => 0);
    busy.on('error', () => undefined);
    server.kill('SIGKILL');
    await server.restart();
    await sum;
    const again = new Client({ connectionString: server.url });
    await again.connect();
    expect((await again.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    await again.end();
  } finally {
    await server.stop();
  }
});

test('a port that was chosen is not chosen by another process that looks at the same time', async () => {
  const script = `require('node:dgram').createSocket('udp4')
    .on('error', ({ code }) => console.log(code))
    .bind({ address: '127.0.0.1', port: Number(process.argv[1]), exclusive: true }, process.exit)`;
  const port = await freePort();
  const other = execFileSync(process.execPath, ['-e', script, String(port)]);
  expect(other.toString().trim()).toBe('EADDRINUSE');
  // And the other way round.
  const claimed = createSocket('udp4');
  try {
    await new Promise<void>((resolve) => {
      claimed.bind({ address: '127.0.0.1', port: port + 1, exclusive: true }, resolve);
    });
    expect(await freePort()).not.toBe(port + 1);
  } finally {
    claimed.close();
  }
});

test('no port is given twice', async () => {
  const ports = await Promise.all(Array.from({ length: 300 }, () => freePort()));
  expect(new Set(ports).size).toBe(300);
});

(real ? describe : describe.skip)('a real Redis', () => {
  test('keeps its data over a restart with an append-only file', async () => {
    const server = await startRedis({ appendOnly: true });
    try {
      await redisCommand(server.url, ['CONFIG', 'SET', 'appendfsync', 'always']);
      await redisCommand(server.url, ['SET', 'kept', '7']);
      await server.restart();
      expect(await redisCommand(server.url, ['GET', 'kept'])).toBe('7');
    } finally {
      await server.stop();
    }
  });

  test('as a cluster of one refuses a command over two slots', async () => {
    const server = await startRedisCluster();
    try {
      await expect(redisCommand(server.url, ['MSET', 'a', '1', 'b', '2'])).rejects.toThrow(
        'CROSSSLOT',
      );
    } finally {
      await server.stop();
    }
  });
});

test('the JavaScript Redis answers', async () => {
  const server = await startJsRedis();
  try {
    await redisCommand(server.url, ['SET', 'a', '1']);
    expect(await redisCommand(server.url, ['GET', 'a'])).toBe('1');
  } finally {
    await server.stop();
  }
});
