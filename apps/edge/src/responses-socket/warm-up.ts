import { emptyUsage } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { FORMATS, type JsonObject } from '../formats';

/**
 * The events that answer a message with `generate: false`: the response is created and has no output, as its
 * input only waits for the message that continues it. No provider is asked.
 */
export function warmUpAnswer(
  { model }: JsonObject,
  wallMs: number,
): { id: string; events: string } {
  const id = `resp_${uuidv7().replaceAll('-', '')}`;
  const name = typeof model === 'string' ? model : '';
  const encoder = FORMATS['openai-responses'].createStreamEncoder({
    requestId: '',
    provider: '',
    model: name,
    createdAtS: Math.floor(wallMs / 1_000),
    includeUsage: true,
  });
  const events = [
    encoder.encode({ type: 'start', id, model: name }),
    encoder.encode({ type: 'stop', choice: 0, reason: 'stop', rawReason: 'completed' }),
    encoder.encode({
      type: 'usage',
      usage: { tokens: emptyUsage(), inputTokens: 0, outputTokens: 0 },
    }),
    encoder.encode({ type: 'end' }),
  ];
  return { id, events: events.join('') };
}
