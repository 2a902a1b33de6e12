// The client of python/driver.py: one process that runs the cells, one after another.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { z } from 'zod';

export interface Call {
  readonly url: string;
  readonly key: string;
  readonly model: string;
  /** Absent: the SDK's default. */
  readonly retries?: number;
}

const refusal = z.object({
  class: z.string(),
  status: z.number().nullish(),
  code: z.string().nullish(),
  type: z.string().nullish(),
  param: z.string().nullish(),
  message: z.string().nullish(),
});
/** The fields of an SDK's error that an application can read. */
export type Refusal = z.output<typeof refusal>;

const said = z.record(z.string(), z.unknown());
export type Said = z.output<typeof said>;

const reply = z.union([
  z.object({ id: z.number(), said }),
  z.object({ id: z.number(), refusal }),
  z.object({ id: z.number(), bug: z.string() }),
]);

export type Outcome = { readonly said: Said } | { readonly refusal: Refusal };

export interface Driver {
  /** Throws for a result that is neither an answer nor an error of the SDK. */
  readonly run: (sdk: string, name: string, call: Call) => Promise<Outcome>;
  readonly stop: () => Promise<void>;
}

export function startDriver(python: string, script: string): Driver {
  // An environment without the machine's own settings: no proxy, and no key for an SDK to find.
  const env = { PATH: process.env['PATH'] ?? '', PYTHONDONTWRITEBYTECODE: '1' };
  const child = spawn(python, [script], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let errors = '';
  child.stderr.on('data', (text: Buffer) => {
    errors = `${errors}${text.toString()}`.slice(-10_000);
  });
  let id = 0;
  return {
    run: async (sdk, name, call) => {
      id += 1;
      child.stdin.write(`${JSON.stringify({ id, sdk, case: name, call })}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the driver has ended: ${errors}`);
      const answer = reply.parse(JSON.parse(value));
      if (answer.id !== id) throw new Error(`the driver answered ${String(answer.id)} to ${id}`);
      if ('bug' in answer) throw new Error(answer.bug);
      return answer;
    },
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
