import type { GatewayError } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { withLongWait } from '../errors/long-wait';
import { FORMATS } from '../formats';
import { requestIdHeaders } from '../reply/answer-headers';
import { refusalFrame, type RefusedAnswer } from './frames';

/** An error as the HTTP route answers it. */
export function encodeRefusal(error: GatewayError): RefusedAnswer {
  const requestId = uuidv7();
  const format = FORMATS['openai-responses'];
  const { status, headers, body } = format.encodeError(withLongWait(error), { requestId });
  return {
    status,
    headers: { ...requestIdHeaders(requestId), ...headers },
    body: JSON.stringify(body),
  };
}

export function errorFrame(error: GatewayError): string {
  return refusalFrame(encodeRefusal(error));
}
