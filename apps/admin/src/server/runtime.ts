import { createLogger, systemClock, type Logger } from '@tollgate/kit';

import { loadConfig, type Config } from '../config';
import type { ScopeValue } from '../shell/scope';
import { createExchange, createSendToCatalog, type SendToCatalog } from './catalog';
import { createCatalogState, type CatalogState } from './catalog-state';
import { newAddressHeader } from './client-address';
import { createPlaygroundKeys, type PlaygroundKeys } from './playground-keys';
import { createRefresh, type Refresh } from './refresh';
import { serverClient } from './server-client';
import { whileItAnswers } from './while-it-answers';

/** The console server's dependencies, created once per process. */
export interface Runtime {
  readonly config: Config;
  readonly log: Logger;
  readonly send: SendToCatalog;
  /** The client's address of a request: see ./client-address. */
  readonly addressHeader: string;
  readonly refresh: Refresh;
  readonly catalogState: CatalogState;
  readonly playgroundKeys: PlaygroundKeys;
  /** Addresses that pages show. */
  readonly addresses: Pick<ScopeValue, 'edgeUrl' | 'traceUrl'>;
}

// Next bundles pages, routes and the proxy separately. Tokens must be exchanged once for all of
// them, so the instance is a global.
const PLACE = Symbol.for('tollgate.admin.runtime');
const shelf = globalThis as typeof globalThis & { [PLACE]?: Runtime };

export function runtime(): Runtime {
  return (shelf[PLACE] ??= createRuntime(loadConfig()));
}

function createRuntime(config: Config): Runtime {
  const catalogState = createCatalogState(config.CATALOG_URL, systemClock);
  const sendToCatalog = createSendToCatalog(config.CATALOG_URL, config.INTERNAL_TOKEN);
  const send = whileItAnswers(sendToCatalog, catalogState);
  return {
    config,
    log: createLogger({ service: 'admin', level: config.LOG_LEVEL }),
    send,
    addressHeader: newAddressHeader(),
    refresh: createRefresh({ exchange: createExchange(send), clock: systemClock }),
    catalogState,
    playgroundKeys: createPlaygroundKeys({
      clock: systemClock,
      clientFor: (access) => serverClient(send, access),
    }),
    addresses: {
      edgeUrl: (config.PUBLIC_EDGE_URL ?? config.EDGE_URL).replace(/\/$/, ''),
      traceUrl: config.TRACE_URL ?? null,
    },
  };
}
