import { systemClock } from '@tollgate/kit';

import { createPlayground } from '../../../../../../server/playground';
import { runtime } from '../../../../../../server/runtime';

interface Context {
  params: Promise<{ organisationId: string }>;
}

/** One of the paths below /api that the console serves itself: a chat through the gateway. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { config, refresh, playgroundKeys: keys, log } = runtime();
  const playground = createPlayground({
    edgeUrl: config.EDGE_URL,
    refresh,
    keys,
    log,
    clock: systemClock,
    fetch,
  });
  return playground(request, (await params).organisationId);
}
