import { askHealth } from '../../../server/health';
import { runtime } from '../../../server/runtime';
import { platformScope } from '../../../server/viewer';

/** How the services are, for the platform's dashboard. Nobody else is told. */
export async function GET(): Promise<Response> {
  const scope = await platformScope();
  if (!scope.ok) return Response.json({ services: [] }, { status: 503 });
  const health = await askHealth(runtime().config);
  return Response.json(health, { headers: { 'cache-control': 'no-store' } });
}
