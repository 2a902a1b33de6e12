import { createApiProxy } from '../../../server/api-proxy';
import { runtime } from '../../../server/runtime';

/** Forwards everything below /api to the catalog. */
function handle(request: Request): Promise<Response> {
  return createApiProxy(runtime())(request);
}

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT };
