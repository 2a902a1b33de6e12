import { createLogger, systemClock, type Logger } from '@tollgate/kit';
import { loadConfig, type Config } from '../config';
import { createExchange, createSendToCatalog, type SendToCatalog } from './catalog';
import { newAddressHeader } from './client-address';
import { createPlaygroundKeys, type PlaygroundKeys } from './playground-keys';
import { createRefresh, type Refresh } from './refresh';
import { serverClient } from './server-client';

/** What the console's server is made of, wired by hand, once per process. */
export type Runtime = {
  readonly config: Config;
  readonly log: Logger;
  readonly send: SendToCatalog;
  /** Says where a request comes from; ./client-address. */
  readonly addressHeader: string;
  readonly refresh: Refresh;
  readonly playgroundKeys: PlaygroundKeys;
  /** The gateway as users are shown it. */
  readonly publicEdgeUrl: string;
};

// Next bundles pages, routes and the proxy apart from each other; tokens must still be exchanged
// once for all of them, so the one instance hangs on the process.
const PLACE = Symbol.for('tollgate.admin.runtime');
const shelf = globalThis as typeof globalThis & { [PLACE]?: Runtime };

export function runtime(): Runtime {
  return (shelf[PLACE] ??= createRuntime(loadConfig()));
}

function createRuntime(config: Config): Runtime {
  const send = createSendToCatalog(config.CATALOG_URL, config.INTERNAL_TOKEN);
  return {
    config,
    log: createLogger({ service: 'admin', level: config.LOG_LEVEL }),
    send,
    addressHeader: newAddressHeader(),
    refresh: createRefresh({ exchange: createExchange(send), clock: systemClock }),
    playgroundKeys: createPlaygroundKeys({
      clock: systemClock,
      clientFor: (access) => serverClient(send, access),
    }),
    publicEdgeUrl: (config.PUBLIC_EDGE_URL ?? config.EDGE_URL).replace(/\/$/, ''),
  };
}
