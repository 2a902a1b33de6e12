// Makes a screening service from what the catalog stores about it.

import { rest } from '@tollgate/contracts';
import {
  openSecret,
  screeningSecretContext,
  type KeyRing,
  type ScreeningService__Output,
} from '@tollgate/contracts/node';
import { SandboxError, type Sandbox } from '@tollgate/sandbox';
import { protocolOf, readTollgateAnswer, tollgateQuestion } from '@tollgate/screening';

import type { AskService } from '../../exchange/screening';
import type { Agents } from '../../upstream/agents';
import { authHeaders } from '../../upstream/auth-headers';
import { createGrpcAsk } from './ask-grpc';
import { createHttpAsk } from './ask-http';

export interface ServiceDeps {
  readonly keyRing: KeyRing;
  /** Apply the rules about addresses. */
  readonly agents: Pick<Agents, 'open'>;
  /** Whether an address and port may be connected to. */
  readonly mayConnect: (address: string, port: number) => boolean;
  /** Runs services that are code. */
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** PEM certificates trusted in addition to the system's; empty: none. */
  readonly ca: string;
}

/** Checks of one service that run at once; more count as failed. */
const MOST_RUNNING = 256;

/** Throws if the settings cannot be used. */
export function openService(
  deps: ServiceDeps,
  service: ScreeningService__Output,
  organisationId: string,
): AskService {
  const { auth, identifier, protocolJson, secret, serviceId } = service;
  const settings = rest.screeningProtocol.parse(JSON.parse(protocolJson));
  if (settings.type === 'JAVASCRIPT') {
    return createSandboxAsk(deps.sandbox, organisationId, settings.code);
  }
  const url = new URL(service.url);
  const plain = secret ? openSecret(deps.keyRing, secret, screeningSecretContext(serviceId)) : '';
  const misconfigured = (problem: string): Error =>
    new Error(`the screening service ${identifier} cannot be used: ${problem}`);
  const headers = authHeaders(auth ?? { type: 'NONE' }, plain, misconfigured);
  const protocol = protocolOf(settings);
  if (protocol) {
    const ask = createHttpAsk({ agents: deps.agents, headers, protocol, url });
    return { ask: limited(MOST_RUNNING, ask) };
  }
  const { ask, openStream } = createGrpcAsk({
    ca: deps.ca,
    headers,
    mayConnect: deps.mayConnect,
    url,
  });
  const streams = settings.type === 'TOLLGATE_GRPC' && settings.streams;
  return { ask: limited(MOST_RUNNING, ask), ...(streams ? { openStream } : {}) };
}

/** Refuses what is too much at once. */
function limited(most: number, ask: AskService['ask']): AskService['ask'] {
  let running = 0;
  return async (check, timeoutMs) => {
    if (running >= most) throw new Error(`${running} checks are running`);
    running += 1;
    try {
      return await ask(check, timeoutMs);
    } finally {
      running -= 1;
    }
  };
}

/** What code says may have texts of the request, which are not logged. */
function nameless(error: unknown): never {
  if (error instanceof SandboxError && error.byCode) throw new Error('the code failed');
  throw error;
}

/** Checks of one service, so that the code of one organisation leaves places to others. */
const MOST_IN_SANDBOX = 32;

function createSandboxAsk(
  sandbox: Pick<Sandbox, 'run'>,
  organisationId: string,
  code: string,
): AskService {
  return {
    ask: limited(MOST_IN_SANDBOX, async (check, timeoutMs) => {
      const question = tollgateQuestion(check);
      const { value } = await sandbox
        .run(organisationId, code, question, timeoutMs)
        .catch(nameless);
      return readTollgateAnswer(value, check);
    }),
  };
}
