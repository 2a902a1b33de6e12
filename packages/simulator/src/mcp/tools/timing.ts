// Tools that take time, report progress or write logs.

import type { ServerContext } from '@modelcontextprotocol/server';

import { countOf } from '../../json';
import { optional } from '../schemas';
import { text, type Tool } from './tool';

/** Limit of one call of `sim_slow`. */
const MAX_SLOW_MS = 900_000;
const MAX_STEPS = 1_000;

export const TIMING_TOOLS: readonly Tool[] = [
  {
    name: 'test_tool_with_logging',
    description: 'Writes three log messages.',
    async run(_args, context) {
      for (const stage of ['started', 'working', 'completed']) {
        await context.mcpReq.log('info', `The tool has ${stage}.`, 'simulator');
      }
      return text('Three log messages were written.');
    },
  },
  {
    name: 'test_logging_tool',
    description: 'Writes one log message, which the stateless revision sends only when asked.',
    async run(_args, context) {
      await context.mcpReq.log('info', 'One log message.', 'simulator');
      return text('One log message was written.');
    },
  },
  {
    name: 'test_tool_with_progress',
    description: 'Reports progress of 0, 50 and 100.',
    async run(_args, context) {
      for (const progress of [0, 50, 100]) await report(context, progress, 100);
      return text(String(context.mcpReq._meta?.progressToken ?? 'no token'));
    },
  },
  {
    name: 'test_streaming_elicitation',
    description: 'Answers at once, without a request of its own.',
    run: () => text('The stream holds a result only.'),
  },
  {
    name: 'test_reconnection',
    description: 'Closes its stream before it answers: the client resumes it to get the result.',
    run(_args, context) {
      context.http?.closeSSE?.();
      return text('The stream was resumed.');
    },
  },
  {
    name: 'sim_slow',
    description: 'Takes this long, and reports progress so many times on the way.',
    input: optional({
      ms: { type: 'integer', minimum: 0, maximum: MAX_SLOW_MS },
      steps: { type: 'integer', minimum: 1, maximum: MAX_STEPS },
    }),
    async run({ ms, steps }, context) {
      const total = Math.max(1, Math.min(countOf(steps) ?? 1, MAX_STEPS));
      const eachMs = Math.min(countOf(ms) ?? 0, MAX_SLOW_MS) / total;
      for (let step = 1; step <= total && !context.mcpReq.signal.aborted; step += 1) {
        await pause(eachMs, context.mcpReq.signal);
        await report(context, step, total);
      }
      return text(`Took ${String(countOf(ms) ?? 0)} ms.`);
    },
  },
  {
    name: 'sim_hold',
    description:
      'Reports progress of 1, and answers when POST /_sim/mcp/release lets it go. Closes its stream first when asked.',
    input: optional({ closeStream: { type: 'boolean' } }),
    async run({ closeStream }, context, upstream) {
      const released = upstream.hold(context.mcpReq.signal);
      await report(context, 1, 2);
      if (closeStream === true) context.http?.closeSSE?.();
      await released;
      return text('Released.');
    },
  },
];

/** Without a token the client wants no progress, and none may be sent. */
async function report(context: ServerContext, progress: number, total: number): Promise<void> {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined || context.mcpReq.signal.aborted) return;
  await context.mcpReq.notify({
    method: 'notifications/progress',
    params: { progressToken, progress, total, message: `${String(progress)} of ${String(total)}` },
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
