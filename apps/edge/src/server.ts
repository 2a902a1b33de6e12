import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { gatewayError } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import express, { type ErrorRequestHandler } from 'express';

import { sendError } from './errors';
import { FORMATS } from './formats';
import { serveMcp, serveMetadata, WELL_KNOWN, type McpGateway, type ResourcePath } from './mcp';
import { cors } from './ops/cors';
import { addOpsRoutes, type OpsDeps } from './ops/routes';
import { PASSTHROUGH_PREFIX, servePassthrough } from './passthrough';
import { serve, type ClientRequest, type Gateway } from './pipeline';
import { answerRefusal, socketRouteOf } from './responses-socket';
import { errorFormatOf, MCP_ORGANISATION_PATH, MCP_PATH, ROUTES, type Route } from './routes';

export interface ServerDeps {
  gateway: Gateway;
  mcp: McpGateway;
  ops: OpsDeps;
  corsOrigins: readonly string[];
  routes?: readonly Route[];
}

/** The HTTP server: the rows of the route table, the ops routes, and 404 in the format of the family. */
export function createServer(deps: ServerDeps): RequestListener {
  const { gateway, mcp, corsOrigins, routes = ROUTES } = deps;
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
    const path = query < 0 ? url : url.slice(0, query);
    const route = exact.get(path);
    const server = route ? undefined : mcpServerOf(path);
    // Requests from pages of other origins need CORS headers, which the Express app writes.
    const fromPage = corsOrigins.length > 0 && req.headers.origin !== undefined;
    const asked = req as ClientRequest;
    // `serve` should never reject; if it does, only this request ends, not the process.
    const failed = (error: unknown): void => {
      gateway.log.error('request failed', { path, error });
      if (res.headersSent) return void res.destroy();
      const format = FORMATS[route?.format ?? 'openai-chat'];
      sendError(req, res, format, gatewayError('internal_error'), uuidv7());
    };
    const unserved = req.headers.upgrade === undefined ? undefined : socketRouteOf(req);
    if (unserved) refuseSocket(gateway, unserved, req, res);
    else if (fromPage) app(req, res);
    // Before Express, which would decode the path.
    else if (path.startsWith(PASSTHROUGH_PREFIX))
      servePassthrough(gateway, asked, res).catch(failed);
    else if (server !== undefined) serveMcp(mcp, server, asked, res).catch(failed);
    else if (route !== undefined && req.method === 'POST') {
      asked.params = NO_PARAMS;
      serve(gateway, route, asked, res).catch(failed);
    } else app(req, res);
  };
}

/** A connection that would have been taken over if this gateway took WebSockets. */
function refuseSocket(
  gateway: Gateway,
  route: Route,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  const text = `This gateway takes no WebSocket connections. Send POST ${route.path}.`;
  const error = gatewayError('websocket_disabled', text);
  answerRefusal(gateway, { route, req, res, startMs: gateway.nowMs() }, error);
}

const MCP_PREFIX = MCP_PATH.slice(0, MCP_PATH.indexOf(':'));

/** Undefined: another path, or one whose names Express has to decode. */
function mcpServerOf(path: string): ResourcePath | undefined {
  if (!path.startsWith(MCP_PREFIX)) return undefined;
  const [, organisation, server] =
    /^(?:([\w.-]+)\/)?([\w.-]+)$/.exec(path.slice(MCP_PREFIX.length)) ?? [];
  return server === undefined ? undefined : { organisation, server };
}

/** Parameters that stand for one segment are texts. */
function resourcePathOf(params: Readonly<Record<string, string | string[]>>): ResourcePath {
  const { organisation, identifier } = params;
  return {
    organisation: typeof organisation === 'string' ? organisation : undefined,
    server: typeof identifier === 'string' ? identifier : '',
  };
}

const METHODS = { GET: 'get', POST: 'post', DELETE: 'delete' } as const;

const NO_PARAMS: ClientRequest['params'] = Object.freeze({});

function isPlain({ match, path }: Route): boolean {
  return match === undefined && /^[\w./-]+$/.test(path);
}

function createApp({
  gateway,
  mcp,
  ops,
  corsOrigins,
  routes,
}: Required<ServerDeps>): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  if (corsOrigins.length > 0) app.use(cors(corsOrigins));
  for (const route of routes) {
    app[METHODS[route.method]](route.match ?? route.path, (req, res) =>
      serve(gateway, route, req as ClientRequest, res),
    );
  }
  for (const path of [MCP_PATH, MCP_ORGANISATION_PATH]) {
    app.get(`${WELL_KNOWN}${path}`, (req, res) =>
      serveMetadata(mcp, resourcePathOf(req.params), req as ClientRequest, res),
    );
    app.all(path, (req, res) =>
      serveMcp(mcp, resourcePathOf(req.params), req as ClientRequest, res),
    );
  }
  app.all(`${PASSTHROUGH_PREFIX}*path`, (req, res) =>
    servePassthrough(gateway, req as ClientRequest, res),
  );
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
