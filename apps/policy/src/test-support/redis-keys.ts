import { createClient } from 'redis';

const READ: Readonly<Record<string, (key: string) => [string, ...string[]]>> = {
  hash: (key) => ['HGETALL', key],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  stream: (key) => ['XRANGE', key, '-', '+'],
  string: (key) => ['GET', key],
};

/**
 * Every key of the shards with its value and its end. Left out are the claims of background work, and
 * what a float says in every report: its number, its answer and its lease.
 */
export async function shardKeys(url: string): Promise<Record<string, unknown>> {
  const client = createClient({ url, RESP: 2 });
  await client.connect();
  try {
    return await keysOf((command) => client.sendCommand(command));
  } finally {
    client.destroy();
  }
}

type Ask = (command: [string, ...string[]]) => Promise<unknown>;

async function keysOf(ask: Ask): Promise<Record<string, unknown>> {
  const keys = asTexts(await ask(['KEYS', '{s*']));
  const found: Record<string, unknown> = {};
  for (const key of keys.toSorted()) {
    const type = String(await ask(['TYPE', key]));
    const read = READ[type]?.(key);
    if (read === undefined) throw new Error(`${key}: no way to read a ${type}`);
    const value = await ask(read);
    if (key.endsWith('}:floats')) found[key] = asTexts(await ask(['ZRANGE', key, '0', '-1']));
    else if (/\}:f:/.test(key)) found[key] = partsOf(asTexts(value));
    else found[key] = [value, await ask(['PEXPIRETIME', key])];
  }
  return found;
}

function partsOf(flat: readonly string[]): [string, string | undefined][] {
  return flat.flatMap((field, i): [string, string | undefined][] =>
    i % 2 === 0 && field.startsWith('h:') ? [[field, flat[i + 1]]] : [],
  );
}

function asTexts(value: unknown): string[] {
  if (!Array.isArray(value)) throw new TypeError('redis answered no list');
  return value.map(String);
}
