import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Health } from './health';
import type { PolicyMetrics } from './metrics';

export interface HttpDeps {
  readonly health: Health;
  readonly metrics: PolicyMetrics | undefined;
}

/** /healthz: 200 while this process can decide, with every dependency by name. /metrics: its counts. */
export function createHttpHandler(deps: HttpDeps) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    serve(deps, request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(error instanceof Error ? error.message : 'failed');
    });
  };
}

async function serve(
  { health, metrics }: HttpDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0];
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.statusCode = 405;
    response.setHeader('allow', 'GET, HEAD');
    response.end();
  } else if (path === '/healthz') {
    const report = await health.report();
    response.statusCode = report.serving ? 200 : 503;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(report));
  } else if (path === '/metrics' && metrics !== undefined) {
    const text = await metrics.text();
    response.setHeader('content-type', metrics.contentType);
    response.end(text);
  } else {
    response.statusCode = 404;
    response.end();
  }
}
