import { restError } from '@tollgate/contracts';
import type { Logger } from '@tollgate/kit';
import type { Tracing } from '@tollgate/kit/tracing';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';

import { beginRestCall } from '../tracing';
import { apiDocs } from './api-docs';
import type { Route } from './call';
import { createDispatch, giveRequestId, requestOrigin, type DispatchDeps } from './dispatch';
import { DOCS_HEADERS } from './docs-page';
import { failureOf } from './error-answer';

export type RestShellDeps = DispatchDeps & {
  readonly log: Logger;
  /** Undefined: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  readonly routes: readonly Route[];
  /** Origins that may call with credentials; none by default. */
  readonly corsOrigins: readonly string[];
  /** Proxies whose X-Forwarded-* headers are trusted: addresses or CIDR ranges. */
  readonly trustedProxies: readonly string[];
  /** Called after every request, for metrics. */
  readonly onFinished?: (finished: FinishedRequest) => void;
};

export interface FinishedRequest {
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly durationMs: number;
}

/** The REST interface as an Express app: the routing table, and what surrounds every route. */
export function createRestShell(deps: RestShellDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', [...deps.trustedProxies]);
  app.use((request, response, next) => {
    giveRequestId(response);
    logWhenFinished(deps, request, response);
    response.setHeader('x-content-type-options', 'nosniff');
    next();
  });
  app.use(cors(deps.corsOrigins));

  const dispatch = createDispatch(deps);
  for (const route of deps.routes) {
    const { method, path, id } = route.endpoint;
    app[verbs[method]](path, (request, response) => {
      response.locals['operation'] = id;
      response.locals['route'] = path;
      return dispatch(route, request, response);
    });
  }
  const { page } = apiDocs();
  app.get('/api/docs', (_request, response) => void response.set(DOCS_HEADERS).send(page));

  app.use(() => {
    throw restError('not_found');
  });
  app.use(answerFailure(deps));
  return app;
}

const verbs = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;

function logWhenFinished(deps: RestShellDeps, request: Request, response: Response): void {
  const startedMs = performance.now();
  const trace = beginRestCall(deps.tracing, request);
  response.once('close', () => {
    const finished: FinishedRequest = {
      operation: String(response.locals['operation'] ?? 'none'),
      method: request.method,
      status: response.statusCode,
      durationMs: Math.round(performance.now() - startedMs),
    };
    deps.onFinished?.(finished);
    const origin = requestOrigin(deps, request, response);
    const { route, signedIn = false } = response.locals as { route?: string; signedIn?: boolean };
    trace?.end({ ...finished, route, requestId: origin.requestId, signedIn });
    // Without the query string, which may hold an email address.
    deps.log.info('request', {
      ...finished,
      path: request.path,
      ...(trace ? { traceId: trace.traceId } : {}),
      ...origin,
    });
  });
}

function cors(origins: readonly string[]) {
  const allowed = new Set(origins);
  return (request: Request, response: Response, next: NextFunction): void => {
    const origin = request.get('origin');
    if (origin === undefined || !allowed.has(origin)) {
      next();
      return;
    }
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-credentials', 'true');
    response.setHeader('access-control-expose-headers', 'etag, x-request-id, retry-after');
    response.vary('origin');
    if (request.method !== 'OPTIONS') {
      next();
      return;
    }
    response.setHeader('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE');
    response.setHeader(
      'access-control-allow-headers',
      'authorization, content-type, if-match, if-none-match, idempotency-key',
    );
    response.setHeader('access-control-max-age', '600');
    response.status(204).end();
  };
}

function answerFailure(deps: RestShellDeps) {
  return (error: unknown, request: Request, response: Response, next: NextFunction): void => {
    const failure = failureOf(error);
    if (failure.fault) {
      deps.log.error('request failed', { error, ...requestOrigin(deps, request, response) });
    }
    if (response.headersSent) {
      next(error);
      return;
    }
    response.setHeader('cache-control', 'no-store');
    if (failure.status === 401) response.setHeader('www-authenticate', 'Bearer');
    response.status(failure.status).json(failure.body);
  };
}
