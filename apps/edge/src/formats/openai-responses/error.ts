// Errors in the responses format. Before a stream they are those of the chat format; within one, a
// response that failed: an `error` event is passed over by clients that look for how it ended.

import type { GatewayError } from '@tollgate/contracts';
import type { ErrorContext } from '../format';
import { createEnvelope } from './envelope';
import { createEventWriter } from './events';
import { encodeFailure } from './failure';

/** Beyond any number that was sent, where it is not known which was the last. */
const LAST_NUMBER = 2_147_483_647;

/** The end of a stream of which nothing is known any more. */
export function encodeStreamError(error: GatewayError, { requestId }: ErrorContext): string {
  const envelope = createEnvelope(
    { id: '', model: '' },
    { requestId, provider: '', model: '', createdAtS: 0, includeUsage: true },
  );
  const response = envelope({ status: 'failed', output: [], error: encodeFailure(error) });
  const events = createEventWriter(LAST_NUMBER);
  return events.write('response.failed', `"response":${JSON.stringify(response)}`);
}
