// The simulator's start and stop, and its routes beside the model routes of routes.ts:
//
// GET       /v1/models, /v1/models/:id  also POST, also under /v1beta
// GET       /_sim/bill?model=&apiKey=      the bill                  DELETE resets it
// GET       /_sim/requests?model=&apiKey=  the latest requests       DELETE clears them
// GET       /_sim/health
// GET       /foundation-models, /v1beta1/publishers/:name/models and others: lists of clouds (clouds/lists.ts)
//
// MCP servers and /_sim/mcp are in mcp/, endpoints that are billed by the byte in metered.ts.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { listenHttp } from '@tollgate/kit';

import { createBillBook } from './bill';
import { createClouds, type Clouds, type CloudSettings } from './clouds';
import { cloudList } from './clouds/lists';
import { configShape, type Config } from './config';
import { FAMILIES } from './family';
import { readBody, sendBody } from './http';
import { createMcp, type Mcp } from './mcp';
import { createMemory } from './memory';
import { createMetered } from './metered';
import { dialectOf, modelList, modelRow } from './operations/models';
import { createReceivedRequests } from './received';
import type { Problem } from './reply';
import { routeOf } from './routes';
import { createServe, type Books } from './serve';

export interface Simulator {
  port: number;
  /** Without a trailing slash; OpenAI clients append `/v1`. */
  url: string;
  stop: () => Promise<void>;
}

const MODELS_PATH = /^(?:\/v1|\/v1beta|\/openai(?:\/v1)?)?\/models(?:\/(.+))?$/;
const DRAIN_MS = 100;
const EMPTY = Buffer.alloc(0);

/** Starts on a free port by default; absent settings have their defaults. */
export async function startSimulator(config: Partial<Config> = {}): Promise<Simulator> {
  const { SIMULATOR_BILL_LINES, SIMULATOR_KEPT_REQUESTS, SIMULATOR_MODELS } = configShape;
  const keptRequests = config.SIMULATOR_KEPT_REQUESTS ?? SIMULATOR_KEPT_REQUESTS.default ?? 0;
  const books: Books = {
    bill: createBillBook(config.SIMULATOR_BILL_LINES ?? SIMULATOR_BILL_LINES.default ?? 0),
    received: createReceivedRequests(keptRequests),
    memory: createMemory(),
    clouds: createClouds(),
  };
  const mcp = createMcp(keptRequests);
  const models = config.SIMULATOR_MODELS ?? SIMULATOR_MODELS.default ?? [];
  const { close, port, url } = await listenHttp(createHandler(books, mcp, models), {
    host: config.HOST ?? '127.0.0.1',
    port: config.SIMULATOR_PORT ?? 0,
  });
  // Streams of MCP stay open until their server ends them.
  const stop = async (): Promise<void> => {
    await mcp.close();
    await close({ drainMs: DRAIN_MS });
  };
  return { port, url, stop };
}

function createHandler(books: Books, mcp: Mcp, models: readonly string[]): RequestListener {
  const serve = createServe(books);
  const metered = createMetered();

  function answer(request: IncomingMessage, response: ServerResponse): Promise<void> | void {
    const { method = '', url = '/' } = request;
    const [path = '/', search = ''] = url.split('?', 2);
    const query = new URLSearchParams(search);
    if (path.startsWith(CLOUDS) || isIssuer(path)) {
      return serveClouds(books.clouds, request, response);
    }
    const list = cloudList(books.clouds, { method, url, headers: request.headers, body: EMPTY });
    if (list !== undefined) return sendBody(response, list.status, list.body);
    const route = routeOf(method, path, query);
    if (route !== undefined) return serve(request, response, route, query);
    const served =
      metered.serve(request, response, path, query) ?? mcp.serve(request, response, path, query);
    if (served !== undefined) return served;
    request.resume();
    const found =
      method === 'DELETE' ? reset(books, path) : read({ ...books, models }, request, path, query);
    if (found) return sendBody(response, 200, JSON.stringify(found));
    const message = `There is no ${method} ${path}.`;
    return refuse(response, { status: 404, code: 'not_found', message });
  }

  return (request, response) => {
    // Inside a promise, so that an undecodable path fails like any other request.
    Promise.resolve()
      .then(() => answer(request, response))
      .catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        if (response.headersSent) response.destroy();
        else refuse(response, { status: 500, code: 'simulator_failed', message });
      });
  };
}

const CLOUDS = '/_sim/clouds';

/** Issuers have a route of their own, where their vendors have a host. */
function isIssuer(path: string): boolean {
  return /^\/(?:_cloud|computeMetadata|metadata|latest)\//.test(path);
}

async function serveClouds(
  clouds: Clouds,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { headers, method = '', url = '' } = request;
  const body = (await readBody(request)) ?? Buffer.alloc(0);
  const issued = clouds.issue(method, url, headers, body);
  if (issued)
    return sendBody(response, issued.status, issued.body, { 'content-type': issued.type });
  if (url === `${CLOUDS}/expire` && method === 'POST') clouds.expire();
  else if (url === CLOUDS && method === 'DELETE') clouds.reset();
  else if (url === CLOUDS && method === 'PUT') {
    clouds.set(JSON.parse(body.toString('utf8')) as Partial<CloudSettings>);
  } else if (url !== CLOUDS || method !== 'GET') {
    const message = `There is no ${method} ${url}.`;
    return refuse(response, { status: 404, code: 'not_found', message });
  }
  return sendBody(response, 200, JSON.stringify(clouds.counts()));
}

/** The readable resources; undefined for an unknown one. */
function read(
  { models: listed, ...books }: Books & { readonly models: readonly string[] },
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
): object | undefined {
  const { headers, method = '' } = request;
  const models = MODELS_PATH.exec(path);
  if (models !== null && (method === 'GET' || method === 'POST')) {
    const dialect = dialectOf(path, headers);
    const [, id] = models;
    return id === undefined
      ? modelList(dialect, listed)
      : modelRow(dialect, decodeURIComponent(id));
  }
  if (method !== 'GET') return undefined;
  const filter = {
    model: query.get('model') ?? undefined,
    apiKey: query.get('apiKey') ?? undefined,
  };
  switch (path) {
    case '/_sim/bill':
      return books.bill.read(filter);
    case '/_sim/requests':
      return { data: books.received.list(filter) };
    case '/_sim/health':
      return { ok: true };
    default:
      return undefined;
  }
}

function reset({ bill, memory, received }: Books, path: string): object | undefined {
  switch (path) {
    case '/_sim/requests':
      received.reset();
      return {};
    case '/_sim/bill':
      bill.reset();
      memory.failures.clear();
      return {};
    default:
      return undefined;
  }
}

function refuse(response: ServerResponse, problem: Problem): void {
  sendBody(response, problem.status, JSON.stringify(FAMILIES.openai.error(problem, {}, '')));
}
