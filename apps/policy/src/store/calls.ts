import type { Clock } from '@tollgate/kit';

import { createBatches, type BatchedCall } from './batches';
import type { Connection } from './connection';
import { MAX_AMOUNT, type EpochOutcome } from './items';
import { asNumber, asRow, asText, type Row } from './replies';
import type { BatchedName, ScriptName } from './scripts';
import type { ServerInfo } from './server';

/** Runs scripts and commands on the server of a key, and measures them. */
export interface Calls {
  script(
    name: ScriptName,
    keys: [string, ...string[]],
    args: (info: ServerInfo) => string[],
  ): Promise<Row>;
  /** Like script, for scripts that calls of one event-loop turn share. */
  batched(name: BatchedName, call: BatchedCall): Promise<Row>;
  command(args: [string, string, ...string[]]): Promise<unknown>;
}

/** Scripts that decide something reply with an outcome word first; other first values are data. */
const OUTCOME = /^[A-Z_]+$/;

export type ScriptDone = (script: string, outcome: string, seconds: number) => void;

export function createCalls(connection: Connection, done: ScriptDone): Calls {
  const batches = createBatches(connection);

  const counted = async (name: ScriptName, running: Promise<unknown>): Promise<Row> => {
    const startedAt = performance.now();
    let outcome = 'error';
    try {
      const reply = asRow(await running);
      const [word] = reply;
      outcome = typeof word === 'string' && OUTCOME.test(word) ? word : 'ok';
      return reply;
    } finally {
      done(name, outcome, (performance.now() - startedAt) / 1000);
    }
  };

  return {
    script: (name, keys, args) =>
      counted(
        name,
        connection.on(keys[0], (server) => server.run(name, keys, args)),
      ),
    batched: (name, call) => counted(name, batches.run(name, call)),
    command: (args) => connection.on(args[1], (server) => server.command(args)),
  };
}

export function epochOutcome(reply: Row): EpochOutcome {
  const epoch = asText(reply[2]);
  return { kind: 'EPOCH', lost: reply[1] === '1', epoch: epoch === '' ? null : asNumber(epoch) };
}

export const clampAmount = (amount: bigint): bigint => (amount > MAX_AMOUNT ? MAX_AMOUNT : amount);

/** An amount for a script. HINCRBY and Lua's doubles are exact within these bounds. */
export function amountText(amount: bigint): string {
  if (amount < 0n || amount > MAX_AMOUNT)
    throw new RangeError(`amount ${String(amount)} is out of range`);
  return amount.toString();
}

/** A limit may exceed every possible amount; it is capped then and never refuses. */
export function limitText(limit: bigint): string {
  if (limit < 0n) throw new RangeError(`limit ${String(limit)} is negative`);
  return clampAmount(limit).toString();
}

/** The instant, by the server's clock, after which a delayed call must have no effect. */
export function notAfter(info: ServerInfo, clock: Clock, deadlineMs: number): string {
  return String(Math.round(clock.now() + info.aheadMs + deadlineMs));
}
