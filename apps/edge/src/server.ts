import type { RequestListener } from 'node:http';
import { gatewayError } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import express, { type ErrorRequestHandler } from 'express';

import { sendError } from './errors';
import { FORMATS } from './formats';
import { cors } from './ops/cors';
import { addOpsRoutes, type OpsDeps } from './ops/routes';
import { serve, type ClientRequest, type Gateway } from './pipeline';
import { errorFormatOf, ROUTES, type Route } from './routes';

export interface ServerDeps {
  gateway: Gateway;
  ops: OpsDeps;
  corsOrigins: readonly string[];
  routes?: readonly Route[];
}

/** The HTTP server: the rows of the route table, the ops routes, and 404 in the format of the family. */
export function createServer(deps: ServerDeps): RequestListener {
  const { gateway, corsOrigins, routes = ROUTES } = deps;
  const app = createApp({ ...deps, routes });
  // Fixed paths are looked up directly instead of being matched against all routes.
  const exact = new Map(
    routes.flatMap((route) =>
      route.method === 'POST' && isPlain(route) ? [[route.path, route] as const] : [],
    ),
  );
  return (req, res) => {
    const { url = '' } = req;
    const query = url.indexOf('?');
    const route = exact.get(query < 0 ? url : url.slice(0, query));
    // Requests from pages of other origins need CORS headers, which the Express app writes.
    const fromPage = corsOrigins.length > 0 && req.headers.origin !== undefined;
    if (route === undefined || req.method !== 'POST' || fromPage) return void app(req, res);
    const asked = req as ClientRequest;
    asked.params = NO_PARAMS;
    // `serve` should never reject; if it does, only this request ends, not the process.
    serve(gateway, route, asked, res).catch((error: unknown) => {
      gateway.log.error('request failed', { path: route.path, error });
      if (res.headersSent) return void res.destroy();
      sendError(req, res, FORMATS[route.format], gatewayError('internal_error'), uuidv7());
    });
  };
}

const METHODS = { GET: 'get', POST: 'post', DELETE: 'delete' } as const;

const NO_PARAMS: ClientRequest['params'] = Object.freeze({});

function isPlain({ match, path }: Route): boolean {
  return match === undefined && /^[\w./-]+$/.test(path);
}

function createApp({ gateway, ops, corsOrigins, routes }: Required<ServerDeps>): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  if (corsOrigins.length > 0) app.use(cors(corsOrigins));
  for (const route of routes) {
    app[METHODS[route.method]](route.match ?? route.path, (req, res) =>
      serve(gateway, route, req as ClientRequest, res),
    );
  }
  addOpsRoutes(app, ops);

  app.use((req, res) => {
    const format = FORMATS[errorFormatOf(req.method, req.path, req.headers)];
    const text = `There is no ${req.method} ${req.path.slice(0, 256)}.`;
    sendError(req, res, format, gatewayError('route_not_found', text), uuidv7());
  });
  // Express's own refusals, for example a path that cannot be decoded.
  const onError: ErrorRequestHandler = (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error);
    const bad = (error as { status?: number }).status === 400;
    if (!bad) gateway.log.error('request failed', { path: req.path, error });
    const told = bad
      ? gatewayError('invalid_request', 'The path of the request is not valid.')
      : gatewayError('internal_error');
    const format = FORMATS[errorFormatOf(req.method, req.path, req.headers)];
    sendError(req, res, format, told, uuidv7());
  };
  app.use(onError);
  return app;
}
