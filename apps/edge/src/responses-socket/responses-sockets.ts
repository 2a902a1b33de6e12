// Takes over connections for the WebSocket of responses: who may open one, how many there may be, and
// their end when the process stops.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { gatewayError, type GatewayError } from '@tollgate/contracts';
import type { Upgrades } from '@tollgate/kit';
import { WebSocketServer, type ServerOptions, type WebSocket } from 'ws';

import type { ByteBudget } from '../intake';
import { readKey } from '../intake/read-key';
import type { Gateway } from '../pipeline';
import { ROUTES, type Route } from '../routes';
import { openConnection, type Connection, type ConnectionLimits } from './connection';
import { createPlaces, type PlaceLimits } from './places';
import { refuse } from './refusal';
import { CLOSE_MS } from './watch';

export interface ResponsesSockets {
  upgrades: Upgrades;
  open: () => number;
  /** Ends all connections after the responses that run on them, at most after `drainMs`. */
  close: (options: { drainMs: number }) => Promise<void>;
}

export interface ResponsesSocketsDeps {
  gateway: Gateway;
  limits: ConnectionLimits & PlaceLimits;
  remembered: ByteBudget;
}

/** The paths that take such connections. */
const SOCKET_ROUTES: ReadonlyMap<string, Route> = new Map(
  ROUTES.filter(({ operation, model }) => operation === 'responses' && model.in === 'body').map(
    (route) => [route.path, route],
  ),
);

/** The route whose messages a connection carries. Undefined: it asks for no such connection. */
export function socketRouteOf(req: IncomingMessage): Route | undefined {
  if (req.method !== 'GET' || req.headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
  const { url = '' } = req;
  const query = url.indexOf('?');
  return SOCKET_ROUTES.get(query < 0 ? url : url.slice(0, query));
}

// The library frames messages; what they hold is limited as bodies are. Nothing is compressed: the contexts
// of compressors would cost each connection more than its messages.
const SERVER_OPTIONS: ServerOptions & { closeTimeout: number } = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: 0,
  closeTimeout: CLOSE_MS,
};

export function createResponsesSockets({
  gateway,
  limits,
  remembered,
}: ResponsesSocketsDeps): ResponsesSockets {
  const server = new WebSocketServer(SERVER_OPTIONS);
  const connections = new Map<WebSocket, Connection>();
  const places = createPlaces(limits);
  let draining = false;

  const accept = async (
    route: Route,
    req: IncomingMessage,
    socket: Duplex,
    head: Buffer,
  ): Promise<void> => {
    let giveBack: (() => void) | undefined;
    const startMs = gateway.nowMs();
    const broken = (): void => void socket.destroy();
    socket.on('error', broken);
    try {
      const keySha256 = readKey(req, route.keys);
      checkHandshake(req);
      giveBack = places.take(keySha256.toString('latin1'));
      if (!(await gateway.policy.confirmKey(keySha256))) throw gatewayError('invalid_api_key');
      if (socket.destroyed) return giveBack();
      const done = giveBack;
      socket.once('close', done);
      giveBack = undefined;
      socket.removeListener('error', broken);
      server.handleUpgrade(req, socket, head, (ws) => {
        const parts = { gateway, limits, remembered, route, req, socket, ws, keySha256 };
        const connection = openConnection(parts);
        connections.set(ws, connection);
        ws.on('close', () => connections.delete(ws));
        if (draining) connection.drain();
      });
    } catch (error) {
      giveBack?.();
      if (socket.destroyed) return;
      refuse(gateway, { route, req, socket, startMs }, error);
    }
  };

  return {
    upgrades: {
      wanted: (req) => socketRouteOf(req) !== undefined,
      accept: (req, socket, head) => {
        const route = socketRouteOf(req);
        if (route) void accept(route, req, socket, head);
        else socket.destroy();
      },
    },
    open: () => connections.size,
    close: async ({ drainMs }) => {
      draining = true;
      places.stop();
      for (const connection of connections.values()) connection.drain();
      const cut = setTimeout(() => {
        for (const connection of connections.values()) connection.cut();
      }, drainMs);
      await places.empty();
      clearTimeout(cut);
    },
  };
}

const HANDSHAKE_KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSION = '13';

/** @throws GatewayError `invalid_request` naming the header */
function checkHandshake({ headers }: IncomingMessage): void {
  const { 'sec-websocket-key': key = '', 'sec-websocket-version': version } = headers;
  if (!HANDSHAKE_KEY.test(key)) throw handshakeError('sec-websocket-key', '16 bytes in base64');
  if (version !== VERSION) throw handshakeError('sec-websocket-version', VERSION);
}

function handshakeError(header: string, expected: string): GatewayError {
  return gatewayError('invalid_request', `${header}: must be ${expected}`, { param: header });
}
