import type { IncomingMessage, ServerResponse } from 'node:http';

import { listenHttp, type HttpServer } from './http-server';
import type { Logger } from './logger';
import type { Metrics } from './metrics';

/** The result of a check of the whole service; `body` is sent as JSON. */
export interface OpsReport {
  ok: boolean;
  body: object;
}

export interface OpsServerOptions {
  host: string;
  port: number;
  metrics: Pick<Metrics, 'exposition'>;
  /** Whether this process can serve requests now. */
  ready: () => Promise<OpsReport>;
  /** Every dependency, with addresses and messages. */
  health: () => Promise<OpsReport>;
  log: Logger;
}

interface Answer {
  status: number;
  type: string;
  text: string;
}

const JSON_TYPE = 'application/json';
/** Scrapers and probes are few; a stray client must not exhaust the process. */
const CONNECTIONS_MOST = 64;

/**
 * The operators' endpoints, on a port that clients cannot reach: they show addresses and every
 * metric. /livez: the event loop runs. /readyz: requests are served. /healthz: every dependency.
 * /metrics: for Prometheus, or in OpenMetrics.
 */
export function listenOps(options: OpsServerOptions): Promise<HttpServer> {
  const { host, port, log } = options;
  const routes = routesOf(options);
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const answer = await answerOf(routes, request, path);
    response.writeHead(answer.status, { 'content-type': answer.type });
    response.end(request.method === 'HEAD' ? undefined : answer.text);
  };
  return listenHttp(
    (request, response) => {
      handle(request, response).catch((error: unknown) => {
        log.error('an ops request failed', { path: request.url, error });
        if (response.headersSent) return void response.destroy();
        response.writeHead(500, { 'content-type': JSON_TYPE }).end('{"status":"error"}');
      });
    },
    { host, port, maxConnections: CONNECTIONS_MOST },
  );
}

type Routes = Readonly<Record<string, (accept: string | undefined) => Promise<Answer>>>;

function routesOf({ metrics, ready, health }: OpsServerOptions): Routes {
  return {
    '/livez': async () => json(200, { status: 'ok' }),
    '/readyz': async () => reported(await ready()),
    '/healthz': async () => reported(await health()),
    '/metrics': async (accept) => {
      const { contentType, text } = await metrics.exposition(accept);
      return { status: 200, type: contentType, text };
    },
  };
}

function answerOf(
  routes: Routes,
  { method, headers }: IncomingMessage,
  path: string,
): Promise<Answer> | Answer {
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (route === undefined) {
    return json(404, { status: 'not found', paths: Object.keys(routes) });
  }
  if (method !== 'GET' && method !== 'HEAD') return json(405, { status: 'use GET' });
  return route(headers.accept);
}

function reported({ ok, body }: OpsReport): Answer {
  return json(ok ? 200 : 503, body);
}

function json(status: number, body: object): Answer {
  return { status, type: JSON_TYPE, text: JSON.stringify(body) };
}
