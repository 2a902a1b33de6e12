import { refusal } from '../../../server/api-proxy';
import { runtime } from '../../../server/runtime';
import { readSession } from '../../../server/session';

/** Tells signed-in browsers whether the catalog can serve them. Needs no answer of the catalog. */
export async function GET(request: Request): Promise<Response> {
  const { access, refresh } = readSession(request.headers.get('cookie'));
  if (access === undefined && refresh === undefined) return refusal(request, 'unauthenticated');
  return Response.json(await runtime().catalogState.ask(), {
    headers: { 'cache-control': 'no-store' },
  });
}
