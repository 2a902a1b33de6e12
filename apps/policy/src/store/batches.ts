import { ErrorReply } from 'redis';
import type { Connection } from './connection';
import { asRow, type Row } from './replies';
import { type BatchedName, batchNameOf } from './scripts';
import type { Greeting } from './server';
import { classified } from './unavailable';

/** One call of a script, told apart into what calls of one turn have in common and what is its own. */
export type BatchedCall = {
  shard: number;
  /** Of the shard, the meta key first. */
  keys: readonly [string, ...string[]];
  /** The script's second key, and those after the shard's. */
  own: { hold: string; counters: readonly string[] };
  /** Calls of a shard that agree in this share the arguments below. */
  sameFor: string;
  common: (greeting: Greeting) => string[];
  args: readonly string[];
};

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
 * after another, each by itself as if it were alone: one that fails fails alone. From `batchFrom`
 * calls on; fewer are called as they are.
 */
export function createBatches(connection: Connection, batchFrom: number): Batches {
  // New ones for every turn: a Map that is cleared keeps what it held reachable, see TransientMap.
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
    const { call } = first;
    const [meta, ...others] = call.keys;
    if (batch.length < batchFrom) {
      const keys = [meta, call.own.hold, ...others, ...call.own.counters];
      const reply = await connection.on(meta, (server) =>
        server.run(name, keys, (greeting) => [...call.common(greeting), ...call.args]),
      );
      return [reply];
    }
    const keys = [...call.keys];
    for (const { call: one } of batch) keys.push(one.own.hold, ...one.own.counters);
    const argsOf = (greeting: Greeting): string[] => {
      const common = call.common(greeting);
      const args = [String(call.keys.length), String(common.length), ...common];
      for (const { call: one } of batch) {
        args.push(String(one.own.counters.length), String(one.args.length), ...one.args);
      }
      return args;
    };
    const reply = await connection.on(meta, (server) =>
      server.run(batchNameOf[name], keys, argsOf, batch.length),
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
