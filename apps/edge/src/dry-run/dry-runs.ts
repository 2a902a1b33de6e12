import type { IncomingHttpHeaders } from 'node:http';
import {
  type AuthorizeRequest,
  type DryRunReply__Output,
  type KeyRing,
} from '@tollgate/contracts/node';

import { createDryRunRate, type DryRunRate } from './rate';
import { readTicket } from './read-ticket';

/** What requests need that ask what would be decided. */
export interface DryRuns {
  /** @throws GatewayError `dependency_unavailable` */
  ask: (question: AuthorizeRequest) => Promise<DryRunReply__Output>;
  rate: DryRunRate;
  /**
   * The hash of the key that a ticket stands for; undefined: none is sent.
   * @throws GatewayError `invalid_api_key`
   */
  readTicket: (headers: IncomingHttpHeaders) => Buffer | undefined;
}

export interface DryRunDeps extends Pick<DryRuns, 'ask'> {
  perMinute: number;
  /** Opens tickets of the catalog. */
  keyRing: KeyRing;
  /** Monotonic milliseconds. */
  nowMs: () => number;
  wallMs: () => number;
}

export function createDryRuns({ ask, keyRing, nowMs, perMinute, wallMs }: DryRunDeps): DryRuns {
  return {
    ask,
    rate: createDryRunRate({ perMinute, nowMs }),
    readTicket: (headers) => readTicket(keyRing, headers, wallMs()),
  };
}
