// Errors in the responses format. Before a stream they are those of the chat format. Within a
// stream an error is a failed response, because some clients ignore an `error` event.

import type { GatewayError } from '@tollgate/contracts';

import type { ErrorContext } from '../format';
import { createEnvelope } from './envelope';
import { createEventWriter } from './events';
import { encodeFailure } from './failure';

/** Above any sequence number that was sent, for streams whose last number is unknown. */
const LAST_NUMBER = 2_147_483_647;

/** The end of a stream whose state is unknown. */
export function encodeStreamError(error: GatewayError, { requestId }: ErrorContext): string {
  const envelope = createEnvelope(
    { id: '', model: '' },
    { requestId, provider: '', model: '', createdAtS: 0, includeUsage: true },
  );
  const response = envelope({ status: 'failed', output: [], error: encodeFailure(error) });
  const events = createEventWriter(LAST_NUMBER);
  return events.write('response.failed', `"response":${JSON.stringify(response)}`);
}
