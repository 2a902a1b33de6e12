import type { ClientReply } from '../client-reply';
import { requestIdHeaders } from '../reply/answer-headers';
import { DRY_RUN_HEADER } from './header';

/** Always 200: the question was answered, whatever the answer is. */
export function sendDryRun(res: ClientReply, requestId: string, answer: object): void {
  const body = JSON.stringify({ object: 'tollgate.dry_run', ...answer });
  res.writeHead(200, {
    ...requestIdHeaders(requestId),
    [DRY_RUN_HEADER]: 'true',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  res.end(body);
}
