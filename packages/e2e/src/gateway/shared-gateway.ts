import type { RedisServer } from '@tollgate/stack';
import axios from 'axios';

import { signedIn, type Account, type Gateway } from './gateway';
import { expectStatus } from './tenant';

/**
 * A gateway with default settings that the suites of one worker use in turn: they reach it, and can neither stop nor
 * change it. Each suite makes its own organisations.
 */
export interface SharedGateway extends Pick<
  Gateway,
  | 'adminUrl'
  | 'catalogUrl'
  | 'databaseUrl'
  | 'edgeUrl'
  | 'opsUrl'
  | 'rest'
  | 'simulatorUrl'
  | 'superAdmin'
> {
  readonly redis: Pick<RedisServer, 'url'>;
}

/** What the pool tells a worker. */
export interface SharedAddresses {
  readonly adminUrl: string;
  readonly catalogUrl: string;
  readonly databaseUrl: string;
  readonly edgeUrl: string;
  readonly opsUrl: string;
  readonly redisUrl: string;
  readonly simulatorUrl: string;
  readonly superAdmin: Account;
}

/** The pool's URL, in the environment of workers. */
export const POOL_URL = 'TOLLGATE_E2E_POOL';

/** This worker's gateway, started for the first suite that asks. */
export async function sharedGateway(): Promise<SharedGateway> {
  const pool = process.env[POOL_URL];
  if (pool === undefined)
    throw new Error('only suites of jest.e2e.config.js have a shared gateway');
  const worker = process.env['JEST_WORKER_ID'] ?? '1';
  const answer = await axios.get(`${pool}/${worker}`, { validateStatus: () => true });
  const addresses = expectStatus(answer, 200).data as SharedAddresses;
  const { edgeUrl, opsUrl, redisUrl, ...same } = addresses;
  const { email, password } = same.superAdmin;
  return {
    ...same,
    edgeUrl: () => edgeUrl,
    opsUrl: () => opsUrl,
    redis: { url: redisUrl },
    rest: await signedIn(same.catalogUrl, email, password),
  };
}
