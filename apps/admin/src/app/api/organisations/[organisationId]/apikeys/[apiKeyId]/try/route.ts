import { systemClock } from '@tollgate/kit';

import { runtime } from '../../../../../../../server/runtime';
import { serverClient } from '../../../../../../../server/server-client';
import { createTryKey } from '../../../../../../../server/try-key';

interface Context {
  params: Promise<{ organisationId: string; apiKeyId: string }>;
}

/** Served by the console itself: what the gateway would decide about a request of the key. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { config, log, refresh, send } = runtime();
  const tryKey = createTryKey({
    edgeUrl: config.EDGE_URL,
    refresh,
    clientFor: (access) => serverClient(send, access),
    log,
    clock: systemClock,
    fetch,
  });
  const { apiKeyId, organisationId } = await params;
  return tryKey(request, organisationId, apiKeyId);
}
