import { ErrorReply } from 'redis';

import type { Connection } from './connection';
import { createLanes } from './lanes';
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

/**
 * Calls that leave together (see ./lanes) run as one script, which executes them in order, each as
 * if it were alone; a call that fails does not affect the others.
 */
export function createBatches(connection: Connection): Batches {
  const answer = async (name: BatchedName, batch: readonly Waiting[]): Promise<void> => {
    try {
      const replies = await send(name, batch);
      for (const [i, { resolve, reject }] of batch.entries()) {
        const reply = asRow(replies[i]);
        const failure = failureIn(reply);
        if (failure === undefined) resolve(reply);
        else reject(failure);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const send = async (name: BatchedName, batch: readonly Waiting[]): Promise<Row> => {
    const frame = frameOf(batch);
    const reply = await connection.on(frame.keys[0], (server) =>
      server.run(name, frame.keys, frame.args, batch.length),
    );
    return asRow(reply);
  };

  const lanes = createLanes(answer);
  return {
    run: (name, call) =>
      new Promise<Row>((resolve, reject) => {
        lanes.add(name, call.shard, call.sameFor, { call, resolve, reject });
      }),
  };
}

/** Why a script failed for one of its calls; undefined: it did not. */
export function failureIn(reply: Row): Error | undefined {
  return reply[0] === 'ERROR' ? classified(new ErrorReply(String(reply[1]))) : undefined;
}

/** The keys and arguments of a script that serves these calls; the first call's `common`. */
export function frameOf(batch: readonly { readonly call: BatchedCall }[]): {
  readonly keys: [string, ...string[]];
  readonly args: (info: ServerInfo) => string[];
} {
  const [first] = batch;
  if (first === undefined) throw new RangeError('a script serves at least one call');
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
  return {
    keys: [...keys, ...counters.keys, ...holds],
    args: (info) => [...common(info), String(counters.keys.length), ...counters.args, ...requests],
  };
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
