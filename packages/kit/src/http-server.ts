import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export interface HttpLimits {
  /** For the request line and all headers to arrive. */
  headersTimeoutMs: number;
  /** For the whole request with its body to arrive. Does not limit the answer. */
  requestTimeoutMs: number;
  /**
   * How long an idle connection is kept; longer than a load balancer's limit, so that the balancer
   * closes first.
   */
  keepAliveTimeoutMs: number;
  maxHeaderBytes: number;
  maxHeaders: number;
  maxConnections: number;
}

export interface Upgrades {
  /** Whether the connection of this request is to be taken over. Others get an ordinary answer. */
  wanted: (request: IncomingMessage) => boolean;
  /** Takes the connection over, with the bytes that came behind the request. */
  accept: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

export type HttpServerOptions = { host: string; port: number } & Partial<HttpLimits> & {
    /** Undefined: a request to upgrade is answered as an ordinary request. */
    upgrades?: Upgrades | undefined;
  };

export interface HttpServer {
  port: number;
  url: string;
  /** Stops accepting, lets running requests finish for up to drainMs, then cuts the rest. */
  close: (options: HttpDrain) => Promise<void>;
}

export interface HttpDrain {
  drainMs: number;
  /**
   * How long idle connections are served while closing: a request may be on its way on each. Every
   * answer tells the client to open another connection.
   */
  lingerMs?: number;
}

const LIMITS: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 120_000,
  keepAliveTimeoutMs: 75_000,
  maxHeaderBytes: 16_384,
  maxHeaders: 100,
  maxConnections: 10_000,
};

// How often limits are checked, and how often a closing server looks for idle connections.
const CHECK_INTERVAL_MS = 1000;
const DRAIN_INTERVAL_MS = 50;

export async function listenHttp(
  handler: RequestListener,
  options: HttpServerOptions,
): Promise<HttpServer> {
  const limits = { ...LIMITS, ...options };
  const { upgrades } = options;
  let draining = false;
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.maxHeaderBytes,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      noDelay: true,
      ...(upgrades ? { shouldUpgradeCallback: upgrades.wanted } : {}),
    },
    (request, response) => {
      // Tells a client that used its open connection to open another one next time.
      if (draining) response.setHeader('connection', 'close');
      handler(request, response);
    },
  );
  if (upgrades) server.on('upgrade', upgrades.accept);
  server.maxHeadersCount = limits.maxHeaders;
  server.maxConnections = limits.maxConnections;

  const port = await listen(server, options);
  return {
    port,
    url: `http://${urlHost(options.host)}:${port}`,
    close: (options) => {
      draining = true;
      return drain(server, options);
    },
  };
}

function listen(server: Server, options: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.host, port: options.port }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function drain(server: Server, { drainMs, lingerMs = 0 }: HttpDrain): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    const lingersUntil = performance.now() + lingerMs;
    const closeIdle = (): void => {
      if (performance.now() >= lingersUntil) server.closeIdleConnections();
    };
    // A connection becomes idle again when its request finishes, so idle ones are closed
    // repeatedly.
    const idle = setInterval(closeIdle, DRAIN_INTERVAL_MS);
    const cut = setTimeout(() => server.closeAllConnections(), drainMs + lingerMs);
    // close of an HTTP server closes idle connections at once; close of its base class only stops
    // accepting.
    NetServer.prototype.close.call(server, () => {
      clearInterval(idle);
      clearTimeout(cut);
      // Stops the check for slow requests; the error that it is already closed is expected.
      server.close(() => resolve());
    });
    closeIdle();
  });
}

// An address that a local client can use: a wildcard is none.
function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
