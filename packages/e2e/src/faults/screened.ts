import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Tenant } from '../gateway/tenant';

// Screening rules for a scenario's organisation: built-in ones on both sides, and one that asks a service
// which the scenario can freeze and kill.

export interface Checker {
  /** Answers nothing until it is let go; those who have waited get their answers. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Breaks all connections, and those that are opened until it is started again. */
  readonly kill: () => void;
  readonly restart: () => void;
  /** Checks that got an answer. */
  readonly answered: () => number;
  readonly stop: () => Promise<void>;
}

/** From now on all of the tenant's requests and answers are screened. */
export async function screen(tenant: Tenant): Promise<Checker> {
  const { url, ...checker } = await startChecker();
  await tenant.create('screening-services', {
    identifier: 'checker',
    name: 'Checker',
    url,
    protocol: { type: 'TOLLGATE_HTTP' },
  });
  const common = { onError: 'PASS' };
  await tenant.create('screening-policies', {
    identifier: 'faults',
    name: 'Faults',
    attachedTo: [{ scopeType: 'ORGANISATION', scopeId: tenant.id }],
    rules: [
      {
        ...common,
        id: 'personal',
        kind: 'PERSONAL_DATA',
        where: ['INPUT', 'OUTPUT'],
        action: 'MASK',
      },
      {
        ...common,
        id: 'pattern',
        kind: 'REGEX',
        patterns: [{ name: 'TICKET', pattern: 'T-[0-9]{9}' }],
        where: ['OUTPUT'],
        action: 'BLOCK',
      },
      {
        ...common,
        id: 'checker',
        kind: 'EXTERNAL',
        service: 'checker',
        timeoutMs: 1_000,
        where: ['INPUT', 'OUTPUT'],
        action: 'BLOCK',
      },
    ],
  });
  return checker;
}

async function startChecker(): Promise<Checker & { readonly url: string }> {
  let state: 'up' | 'frozen' | 'dead' = 'up';
  let waiting: ServerResponse[] = [];
  let answered = 0;
  const answer = (res: ServerResponse): void => {
    answered += 1;
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"verdict":"PASS"}');
  };
  const server = createServer((req, res) => {
    req.resume();
    req.on('end', () => {
      if (state === 'up') answer(res);
      else if (state === 'frozen') waiting.push(res);
      else req.socket.destroy();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    freeze: () => {
      state = 'frozen';
    },
    thaw: () => {
      state = 'up';
      for (const res of waiting) if (!res.destroyed) answer(res);
      waiting = [];
    },
    kill: () => {
      state = 'dead';
      server.closeAllConnections();
    },
    restart: () => {
      state = 'up';
    },
    answered: () => answered,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
