// Who calls, for whom, and which server: everything that a request says beside its body.
import type { IncomingMessage } from 'node:http';
import { RUNNER_PRINCIPAL_HEADER } from '@tollgate/contracts';
import type { CallerOf } from '@tollgate/kit';

import type { Owner, Refusal } from '../sessions';

export interface Admission {
  /** Undefined: any caller is served, which is possible on loopback only. */
  readonly callerOf: CallerOf | undefined;
}

/** The services that use the runner: the edge for clients, the catalog to test a connection. */
const CALLERS: ReadonlySet<string | undefined> = new Set(['edge', 'catalog']);

const PATH = /^\/v1\/servers\/([A-Za-z0-9-]{1,64})\/(\d{1,15})$/;
const PRINCIPAL = /^[\x21-\x7e]{1,200}$/;

export function admit(request: IncomingMessage, { callerOf }: Admission): Owner | Refusal {
  const { authorization } = request.headers;
  if (callerOf !== undefined) {
    const token = authorization?.startsWith('Bearer ') ? authorization.slice(7) : '';
    if (!CALLERS.has(callerOf(token))) return UNAUTHORIZED;
  }
  // Services call the runner, never a browser.
  if (request.headers.origin !== undefined) return BROWSER;
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const [match, serverId = '', version = ''] = PATH.exec(path) ?? [];
  if (match === undefined) return NOT_FOUND;
  const principal = request.headers[RUNNER_PRINCIPAL_HEADER];
  if (typeof principal !== 'string' || !PRINCIPAL.test(principal)) return NO_PRINCIPAL;
  return { serverId, version: Number(version), principal };
}

const UNAUTHORIZED: Refusal = {
  status: 401,
  code: 'unauthorized',
  message: 'A service token of the edge or the catalog is required.',
};
const BROWSER: Refusal = {
  status: 403,
  code: 'invalid_request',
  message: 'The header Origin is not accepted: the runner serves no browsers.',
};
const NOT_FOUND: Refusal = {
  status: 404,
  code: 'not_found',
  message: 'There is only /v1/servers/:serverId/:connectionVersion.',
};
const NO_PRINCIPAL: Refusal = {
  status: 400,
  code: 'invalid_request',
  message: 'The header x-tollgate-principal is required: 1 to 200 printable characters.',
};
