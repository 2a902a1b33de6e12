import { ErrorReply } from 'redis';

import type { Connection } from './connection';
import { asRow, type Row } from './replies';
import type { BatchedName } from './scripts';
import type { ServerInfo } from './server';
import { classified } from './unavailable';

/** One call of a script: what all calls of one turn share, and the call's own arguments. */
export interface BatchedCall {
  shard: number;
  /** Keys of the shard, the meta key first. */
  keys: readonly [string, ...string[]];
  hold: string;
  uses: readonly CounterUse[];
  /** Calls of a shard with the same text here share the arguments of `common`. */
  sameFor: string;
  common: (info: ServerInfo) => string[];
  args: readonly string[];
}

/**
 * A counter that a call uses. Consecutive calls with the same `args` for a counter send it once.
 */
export interface CounterUse {
  key: string;
  args: readonly string[];
  amount: string;
}

export interface Batches {
  run(name: BatchedName, call: BatchedCall): Promise<Row>;
}

interface Waiting {
  call: BatchedCall;
  resolve: (reply: Row) => void;
  reject: (error: unknown) => void;
}

/** Largest batch of one script: Redis serves nothing else while a script runs. */
const BATCH_MAX = 32;
// Closes run before authorizes, so that released amounts are available to new holds.
const ORDER: readonly BatchedName[] = ['close', 'authorize'];

/**
 * Calls of one event-loop turn for one shard run as one script. The script executes them in order,
 * each as if it were alone; a call that fails does not affect the others.
 */
export function createBatches(connection: Connection): Batches {
  // Fresh maps for every turn: a cleared Map keeps its entries reachable, see TransientMap (decision 64).
  let waiting = emptyGroups();
  let scheduled = false;

  const sendAll = (): void => {
    scheduled = false;
    const batchesToSend = waiting;
    waiting = emptyGroups();
    for (const name of ORDER) {
      for (const group of batchesToSend[name].values()) {
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
    const argsOf = (info: ServerInfo): string[] => [
      ...common(info),
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
        setImmediate(sendAll);
      }),
  };
}

function emptyGroups(): Record<BatchedName, Map<string, Waiting[]>> {
  return { close: new Map(), authorize: new Map() };
}

/** The counters of a batch with their arguments; equal arguments are sent once. */
function createCounters(): {
  readonly keys: string[];
  readonly args: string[];
  /** The counter's position in the batch, from 1. */
  placeOf(use: CounterUse): string;
} {
  const keys: string[] = [];
  const args: string[] = [];
  const last = new Map<string, { args: readonly string[]; place: string }>();
  return {
    keys,
    args,
    placeOf(use) {
      const same = last.get(use.key);
      if (same?.args.every((text, i) => text === use.args[i]) === true) return same.place;
      keys.push(use.key);
      args.push(...use.args);
      const place = String(keys.length);
      last.set(use.key, { args: use.args, place });
      return place;
    },
  };
}
