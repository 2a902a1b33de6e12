import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export type HttpLimits = {
  /** For the request line and all headers to arrive. */
  headersTimeoutMs: number;
  /** For the whole request, body included, to arrive. Says nothing about the answer. */
  requestTimeoutMs: number;
  /** How long an idle connection is kept; longer than a load balancer's, which then closes first. */
  keepAliveTimeoutMs: number;
  maxHeaderBytes: number;
  maxHeaders: number;
  maxConnections: number;
};

export type HttpServerOptions = { host: string; port: number } & Partial<HttpLimits>;

export type HttpServer = {
  port: number;
  url: string;
  /** Stops accepting, lets running requests finish for up to drainMs, then cuts the rest. */
  close: (options: { drainMs: number }) => Promise<void>;
};

const LIMITS: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 120_000,
  keepAliveTimeoutMs: 75_000,
  maxHeaderBytes: 16_384,
  maxHeaders: 100,
  maxConnections: 10_000,
};

// How often the limits above are looked at, and how often a closing server looks for connections
// that have become idle.
const CHECK_INTERVAL_MS = 1000;
const DRAIN_INTERVAL_MS = 50;

export async function listenHttp(
  handler: RequestListener,
  options: HttpServerOptions,
): Promise<HttpServer> {
  const limits = { ...LIMITS, ...options };
  let draining = false;
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.maxHeaderBytes,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      noDelay: true,
    },
    (request, response) => {
      // Tells a client that found its connection still open to use another one next time.
      if (draining) response.setHeader('connection', 'close');
      handler(request, response);
    },
  );
  server.maxHeadersCount = limits.maxHeaders;
  server.maxConnections = limits.maxConnections;

  const port = await listen(server, options);
  return {
    port,
    url: `http://${urlHost(options.host)}:${port}`,
    close: ({ drainMs }) => {
      draining = true;
      return drain(server, drainMs);
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

function drain(server: Server, drainMs: number): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    // A connection whose request finishes while we wait goes back to being kept alive, so idle
    // ones are closed again and again, not only once.
    const idle = setInterval(() => server.closeIdleConnections(), DRAIN_INTERVAL_MS);
    const cut = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

// An address that a client on this machine can use: a wildcard is not one.
function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
