import { ErrorReply } from 'redis';
import type { Connection } from './connection';
import { asRow, type Row } from './replies';
import type { BatchedName } from './scripts';
import type { Greeting } from './server';
import { classified } from './unavailable';

/** One call of a script, told apart into what calls of one turn have in common and what is its own. */
export type BatchedCall = {
  shard: number;
  /** Of the shard, the meta key first. */
  keys: readonly [string, ...string[]];
  hold: string;
  uses: readonly Use[];
  /** Calls of a shard that agree in this share the arguments below. */
  sameFor: string;
  common: (greeting: Greeting) => string[];
  args: readonly string[];
};

/** A counter that a call uses; calls that say the same of one send it once. */
export type Use = { key: string; says: readonly string[]; amount: string };

export type Batches = { run(name: BatchedName, call: BatchedCall): Promise<Row> };

type Waiting = {
  call: BatchedCall;
  resolve: (reply: Row) => void;
  reject: (error: unknown) => void;
};

/** So many run in one script at most: for as long, the server does nothing else. */
const BATCH_MAX = 32;
// What ends requests goes before what begins them, so that what is given back can be taken.
const ORDER: readonly BatchedName[] = ['close', 'authorize'];

/**
 * Calls of one turn of the event loop that are for one shard leave as one script that runs them one
 * after another, each by itself as if it were alone: one that fails fails alone.
 */
export function createBatches(connection: Connection): Batches {
  // New ones for every turn: a Map that is cleared keeps what it held reachable, see TransientMap (decision 64).
  let waiting = nobody();
  let scheduled = false;

  const leave = (): void => {
    scheduled = false;
    const leaving = waiting;
    waiting = nobody();
    for (const name of ORDER) {
      for (const group of leaving[name].values()) {
        for (let from = 0; from < group.length; from += BATCH_MAX) {
          void answer(name, group.slice(from, from + BATCH_MAX));
        }
      }
    }
  };

  const answer = async (name: BatchedName, batch: readonly Waiting[]): Promise<void> => {
    try {
      const replies = await send(name, batch);
      for (const [i, { resolve, reject }] of batch.entries()) {
        const reply = asRow(replies[i]);
        if (reply[0] === 'ERROR') reject(classified(new ErrorReply(String(reply[1]))));
        else resolve(reply);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const send = async (name: BatchedName, batch: readonly Waiting[]): Promise<Row> => {
    const [first] = batch;
    if (first === undefined) return [];
    const { keys, common } = first.call;
    const counters = createCounters();
    const holds: string[] = [];
    const requests: string[] = [];
    for (const { call } of batch) {
      holds.push(call.hold);
      requests.push(String(call.uses.length));
      for (const use of call.uses) requests.push(counters.placeOf(use), use.amount);
      requests.push(...call.args);
    }
    const allKeys = [...keys, ...counters.keys, ...holds];
    const argsOf = (greeting: Greeting): string[] => [
      ...common(greeting),
      String(counters.keys.length),
      ...counters.args,
      ...requests,
    ];
    const reply = await connection.on(keys[0], (server) =>
      server.run(name, allKeys, argsOf, batch.length),
    );
    return asRow(reply);
  };

  return {
    run: (name, call) =>
      new Promise<Row>((resolve, reject) => {
        const groups = waiting[name];
        const key = `${String(call.shard)} ${call.sameFor}`;
        const group = groups.get(key);
        if (group === undefined) groups.set(key, [{ call, resolve, reject }]);
        else group.push({ call, resolve, reject });
        if (scheduled) return;
        scheduled = true;
        setImmediate(leave);
      }),
  };
}

function nobody(): Record<BatchedName, Map<string, Waiting[]>> {
  return { close: new Map(), authorize: new Map() };
}

/** The counters of a batch, each with what is said of it: once, where all say the same. */
function createCounters(): {
  readonly keys: string[];
  readonly args: string[];
  /** Its place among them, from 1 on. */
  placeOf(use: Use): string;
} {
  const keys: string[] = [];
  const args: string[] = [];
  const last = new Map<string, { says: readonly string[]; place: string }>();
  return {
    keys,
    args,
    placeOf(use) {
      const same = last.get(use.key);
      if (same?.says.every((text, i) => text === use.says[i]) === true) return same.place;
      keys.push(use.key);
      args.push(...use.says);
      const place = String(keys.length);
      last.set(use.key, { says: use.says, place });
      return place;
    },
  };
}
