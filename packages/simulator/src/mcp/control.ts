// Routes for tests outside the protocol, under /_sim/mcp. Without ?server= they are about all servers:
//
// GET   calls?server=     counts of calls              DELETE resets them
// GET   requests?server=  the latest HTTP requests     DELETE forgets them
// POST  ACTION?server=    one of ACTIONS

import type { Ring } from '../received';
import type { CallCounts } from './calls';
import type { Endpoint } from './endpoint';
import type { McpUpstream } from './upstream';

export interface ReceivedMcpRequest {
  server: string;
  method: string;
  path: string;
  headers: NodeJS.Dict<string | string[]>;
  /** The parsed body; plain text if it is not JSON; `null` if it is too large to keep. */
  body: unknown;
}

export interface Running {
  upstream: McpUpstream;
  endpoint: Endpoint;
}

export interface Books {
  counts: CallCounts;
  received: Ring<ReceivedMcpRequest>;
  /** Undefined if there are too many servers. */
  serverOf: (name: string) => Running | undefined;
}

type Action = (running: Running) => object;

const ACTIONS: Readonly<Record<string, Action>> = {
  /** Changes the definition of the tool `sim_changing` and notifies clients. */
  change({ upstream }) {
    upstream.changeTools();
    return { revision: upstream.revision() };
  },
  /** Notifies subscribers that the watched resource has changed. */
  touch({ upstream }) {
    upstream.updateResource('test://watched-resource');
    return {};
  },
  /** Completes the pending calls of `sim_hold`. */
  release: ({ upstream }) => ({ released: upstream.release() }),
  /** Forgets all sessions, as a restart does. */
  forget: ({ endpoint }) => ({ forgotten: endpoint.forget() }),
};

/** The answer to a request below /_sim/mcp; undefined: there is no such route. */
export function control(
  { counts, received, serverOf }: Books,
  method: string,
  path: string,
  server: string | undefined,
): object | undefined {
  const ofServer = (row: { server: string }): boolean =>
    server === undefined || row.server === server;
  switch (`${method} ${path}`) {
    case 'GET /calls':
      return { data: counts.list().filter(ofServer) };
    case 'DELETE /calls':
      counts.reset(server);
      return {};
    case 'GET /requests':
      return { data: received.list().filter(ofServer) };
    case 'DELETE /requests':
      received.reset(ofServer);
      return {};
    default: {
      const name = path.slice(1);
      if (method !== 'POST' || !Object.hasOwn(ACTIONS, name)) return undefined;
      const running = serverOf(server ?? 'default');
      return running && ACTIONS[name]?.(running);
    }
  }
}
