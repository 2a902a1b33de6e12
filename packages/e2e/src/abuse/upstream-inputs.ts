import { talk } from './client';
import { keyLines, type Input, type Target } from './input';
import { postHead } from './json-inputs';
import { HOSTILE_ANSWERS } from './upstream';

// An ordinary request with a valid key, whose provider sends a hostile answer.

/** The model whose provider sends the hostile answer of this number. */
export const hostileModel = (index: number): string => `hostile-${String(index)}`;

/** The caller aborts a longer answer. */
const HANG_UP_MS = 30_000;

export const UPSTREAM_INPUTS: readonly Input[] = HOSTILE_ANSWERS.map(({ name, stream }, index) => ({
  name: `upstream: ${name}`,
  run: async (target: Target) => {
    const body = JSON.stringify({
      model: hostileModel(index),
      stream,
      messages: [{ role: 'user', content: 'Hello there' }],
    });
    const keys = keyLines('good key', target);
    const head = postHead('/v1/chat/completions', keys, `content-length: ${String(body.length)}`);
    return {
      answers: await talk({
        port: target.port,
        signal: AbortSignal.any([target.signal, AbortSignal.timeout(HANG_UP_MS)]),
        say: async ({ send }) => {
          await send(head + body);
        },
      }),
    };
  },
}));
