import type { SettleRequest__Output } from '@tollgate/contracts/node';
import type { Clock, Logger } from '@tollgate/kit';

import type { Issuer } from '../decide';
import type { KeyPlan } from '../directory';
import type { Store } from '../store';
import type { Ticket } from './ticket';

export interface IssuersDeps {
  readonly store: Pick<Store, 'rememberIssuer' | 'recallIssuer'>;
  readonly clock: Clock;
  readonly wait: (ms: number) => Promise<void>;
  readonly log: Logger;
}

/** Which upstream connection made a response, so that what continues it goes there again. */
export interface Issuers {
  /** Never rejects: a request is settled whether or not its response can be continued. */
  readonly keep: (ticket: Ticket, settle: SettleRequest__Output) => Promise<void>;
  readonly find: (
    plan: KeyPlan,
    responseId: string,
    deadlineAtMs: number,
  ) => Promise<Issuer | undefined>;
}

// A client has its answer a moment before the settle of it has come here, and may be quick.
const PAUSES_MS = [30, 90];

export function createIssuers(deps: IssuersDeps): Issuers {
  const { store, clock, log } = deps;

  const keep: Issuers['keep'] = async (ticket, settle) => {
    const { responseId, modelId } = settle;
    if (settle.cancelled || responseId === '' || ticket.operation !== 'responses') return;
    const [first] = ticket.candidates;
    const candidate = ticket.candidates.find((one) => one.modelId === modelId) ?? first;
    if (candidate === undefined) return;
    const { shard, subject } = ticket;
    try {
      await store.rememberIssuer(
        { shard, organisationId: subject.organisationId, responseId },
        candidate,
      );
    } catch (error) {
      const { requestId } = settle;
      log.warn('a response cannot be continued: the store did not keep it', { requestId, error });
    }
  };

  const find: Issuers['find'] = async ({ shard, organisationId }, responseId, deadlineAtMs) => {
    for (const pauseMs of [...PAUSES_MS, undefined]) {
      const issuer = await store.recallIssuer({ shard, organisationId, responseId });
      if (issuer !== null) return issuer;
      if (pauseMs === undefined || clock.now() + 2 * pauseMs > deadlineAtMs) return undefined;
      await deps.wait(pauseMs);
    }
    return undefined;
  };

  return { keep, find };
}
