// The stdio transport: a message is a line, both ways.
import type { Logger } from '@tollgate/kit';

import { launch, type Launch, type LaunchDeps, type UsageWatch } from '../processes';
import { MAX_MESSAGE_BYTES, MAX_UNREAD_BYTES, type Channel, type OpenChannel } from './channel';
import { createLineReader } from './lines';
import { createStderrLog } from './stderr-log';

export interface StdioDeps extends LaunchDeps {
  readonly usage: UsageWatch;
  readonly nowMs: () => number;
  readonly log: Logger;
}

export function openStdio(what: Launch, deps: StdioDeps): OpenChannel {
  return (onMessage) => {
    const child = launch(what, deps);
    if (typeof child === 'string') return notStarted(child);
    let cause: string | undefined;
    const fail = (reason: string): void => {
      cause ??= reason;
      void child.end();
    };
    const lines = createLineReader(MAX_MESSAGE_BYTES, (line) => {
      // A blank line is no message, and harmless.
      if (line.trim() !== '') onMessage(line);
    });
    child.stdout.on('data', (chunk: Buffer) => {
      if (cause === undefined && !lines.push(chunk)) {
        fail(`it sent a line of more than ${MAX_MESSAGE_BYTES} bytes`);
      }
    });
    child.stderr.on('data', createStderrLog(deps.log, deps.nowMs, what.secret));
    const { pid, user } = child;
    if (pid !== undefined) deps.usage.watch(pid, { user, limits: what, exceeded: fail });

    const ended = child.ended.then((reason) => {
      if (pid !== undefined) deps.usage.forget(pid);
      return cause ?? reason;
    });
    return {
      send: (text) => {
        if (child.stdin.writableLength > MAX_UNREAD_BYTES) return false;
        // A line break may stand between tokens of JSON, and is a blank there.
        child.stdin.write(`${text.replaceAll(/[\r\n]+/g, ' ')}\n`);
        return true;
      },
      pause: () => void child.stdout.pause(),
      resume: () => void child.stdout.resume(),
      ended,
      close: async () => {
        await child.end();
      },
    };
  };
}

const notStarted = (reason: string): Channel => ({
  send: () => false,
  pause: () => undefined,
  resume: () => undefined,
  ended: Promise.resolve(reason),
  close: () => Promise.resolve(),
});
