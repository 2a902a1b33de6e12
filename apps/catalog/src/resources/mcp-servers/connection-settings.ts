import { canonicalJson, type rest } from '@tollgate/contracts';
import { mcpSecretContext, type AddressRules, type KeyRing } from '@tollgate/contracts/node';

import { mcpAuthOf, type McpServer } from '../../entities/mcp-server.entity';
import { invalid } from '../../rest/field-errors';
import { assertUrl, originOf } from '../../rest/upstream-url';
import { sealedRowSecret } from '../../secrets';

/** How a server is reached and what it is sent: which settings fit together, and where its secret may go. */

export interface McpServerDeps {
  readonly keyRing: KeyRing;
  /** Private networks that URLs may point into. */
  readonly addressRules: AddressRules;
}

/** What of a server decides how it is reached. */
export type Connection = Pick<
  McpServer,
  | 'transport'
  | 'url'
  | 'command'
  | 'headers'
  | 'auth'
  | 'secretKeyId'
  | 'connectTimeoutMs'
  | 'idleTimeoutMs'
>;

/** The secret in a body: undefined leaves the stored one, null removes it. */
type GivenSecret = string | null | undefined;

/**
 * The auth after a change. Without one in the body a new secret is sent as a bearer token, and
 * without a secret nothing is sent, as before there was a choice.
 */
export function authAfter(
  before: Pick<Connection, 'transport' | 'auth' | 'secretKeyId'>,
  given: rest.McpAuth | undefined,
  secret: GivenSecret,
): rest.McpAuth {
  if (before.transport === 'STDIO') {
    if (given !== undefined && given.type !== 'NONE') {
      throw invalid('auth.type', 'transport STDIO has none: the command gets the secret itself');
    }
    return { type: 'NONE' };
  }
  const hasSecret = secret === undefined ? before.secretKeyId !== null : secret !== null;
  const auth = given ?? impliedAuth(mcpAuthOf(before), hasSecret);
  if (auth.type === 'NONE' && typeof secret === 'string') {
    throw invalid('secret', 'auth NONE sends no secret');
  }
  if (auth.type !== 'NONE' && !hasSecret) {
    throw invalid('secret', `auth ${auth.type} needs one`);
  }
  return auth;
}

function impliedAuth(before: rest.McpAuth, hasSecret: boolean): rest.McpAuth {
  if (!hasSecret) return { type: 'NONE' };
  return before.type === 'NONE' ? { type: 'BEARER' } : before;
}

/** Refuses settings that do not fit together. What a change leaves as it was is not checked again. */
export function assertConnection(
  after: Connection,
  deps: McpServerDeps,
  before?: Connection,
): void {
  const { transport, url, auth, headers } = after;
  if (url !== null && url !== before?.url) assertUrl('url', url, deps.addressRules);
  const tokenUrl = tokenUrlOf(auth);
  if (tokenUrl !== undefined && tokenUrl !== tokenUrlOf(before?.auth)) {
    assertUrl('auth.tokenUrl', tokenUrl, deps.addressRules);
  }
  if (headers !== before?.headers && transport === 'STDIO' && Object.keys(headers).length > 0) {
    throw invalid('headers', 'transport STDIO sends none');
  }
  if (auth === null || auth.type === 'NONE') return;
  const own = auth.type === 'HEADER' ? auth.header.toLowerCase() : 'authorization';
  if (Object.keys(headers).some((name) => name.toLowerCase() === own)) {
    throw invalid(`headers.${own}`, 'auth sets this header');
  }
}

function tokenUrlOf(auth: rest.McpAuth | null | undefined): string | undefined {
  return auth?.type === 'OAUTH_CLIENT_CREDENTIALS' ? auth.tokenUrl : undefined;
}

/**
 * A stored secret is write-only, so a change must not send it, or the token that it obtains, to
 * another host.
 */
export function assertSecretStays(before: Connection, after: Connection): void {
  if (before.secretKeyId === null || before.transport === 'STDIO') return;
  const [from, to] = [mcpAuthOf(before), mcpAuthOf(after)];
  if (to.type === 'NONE') return;
  const elsewhere = 'the stored secret is for another host: send a new secret, or null';
  if (originOf(before.url) !== originOf(after.url)) throw invalid('url', elsewhere);
  // Undefined unless the secret goes to a token endpoint.
  if (originOf(tokenUrlOf(from)) !== originOf(tokenUrlOf(to))) {
    const field = to.type === 'OAUTH_CLIENT_CREDENTIALS' ? 'auth.tokenUrl' : 'auth.type';
    throw invalid(field, 'the stored secret is for another host: send a new secret');
  }
}

/** Whether sessions and connections that began before the change must not go on. */
export function isReachedDifferently(
  before: Connection,
  after: Connection,
  secret: GivenSecret,
): boolean {
  if (typeof secret === 'string') return true;
  return canonicalJson(reached(before)) !== canonicalJson(reached(after));
}

function reached(row: Connection) {
  const { transport, url, command, headers, connectTimeoutMs, idleTimeoutMs } = row;
  const hasSecret = row.secretKeyId !== null;
  const auth = mcpAuthOf(row);
  return { transport, url, command, headers, connectTimeoutMs, idleTimeoutMs, hasSecret, auth };
}

/** The columns of a secret; null: of none. */
export function sealedSecret({ keyRing }: McpServerDeps, id: string, secret: string | null) {
  return sealedRowSecret(keyRing, mcpSecretContext(id), secret);
}
