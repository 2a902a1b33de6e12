import { rest, restError } from '@tollgate/contracts';
import {
  checkBaseUrl,
  previewOf,
  sealSecret,
  type AddressRules,
  type KeyRing,
} from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import { In } from 'typeorm';

import { McpServer } from '../../entities/mcp-server.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { invalid } from '../../rest/field-errors';
import { idKey, likePattern, readPage } from '../../rest/paging';
import { mcpSecretContext } from '../../secrets/sealed-stores';
import { ApiKeyMcpAccess } from '../apikeys/api-key-mcp-access.entity';
import { withinMcpReach } from '../apikeys/visible-mcp-servers';
import { endLimitsOf } from '../limits/end-limits';

export interface McpServerDeps {
  readonly keyRing: KeyRing;
  /** Private networks that URLs may point into. */
  readonly addressRules: AddressRules;
}

interface Reading {
  readonly actor: Pick<Call['actor'], 'role'>;
}

/** Only callers who may change a server see how it is run and what it is sent. */
function represent(row: McpServer, { actor }: Reading): rest.McpServer {
  const whole = rest.can(actor.role, 'mcp-servers.write');
  return {
    id: row.id,
    organisationId: row.organisationId,
    identifier: row.identifier,
    name: row.name,
    transport: row.transport,
    url: row.url,
    command: whole ? row.command : null,
    args: whole ? row.args : [],
    headers: whole ? row.headers : {},
    secretPreview: row.secretPreview,
    timeoutMs: row.timeoutMs,
    status: row.status === 'ACTIVE' ? 'ACTIVE' : 'DISABLED',
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export async function list(
  call: Call<typeof rest.listMcpServers>,
): Promise<{ data: rest.McpServer[]; nextCursor: string | null }> {
  const { query } = call;
  const rows = withinMcpReach(call, 'server');
  for (const field of ['transport', 'status'] as const) {
    if (query[field] === undefined) continue;
    rows.andWhere(`server.${field} = :${field}`, { [field]: query[field] });
  }
  if (query.apiKeyId !== undefined) {
    rows.andWhere(
      `EXISTS (SELECT FROM api_key_mcp_access g
        WHERE g.mcp_server_id = server.id AND g.api_key_id = :apiKeyId)`,
      { apiKeyId: query.apiKeyId },
    );
  }
  if (query.search !== undefined) {
    rows.andWhere('(server.name ILIKE :search OR server.identifier ILIKE :search)', {
      search: likePattern(query.search),
    });
  }
  const id = idKey<McpServer>('server.id');
  const page = await readPage(rows, {
    cursor: query.cursor,
    limit: query.limit,
    sort: query.sort ?? 'name',
    id,
    keys: { createdAt: id, name: { column: 'server.name', of: (row) => row.name } },
  });
  return { data: page.rows.map((row) => represent(row, call)), nextCursor: page.nextCursor };
}

export async function get(call: Call<typeof rest.getMcpServer>): Promise<rest.McpServer> {
  const rows = withinMcpReach(call, 'server');
  const found = await rows.andWhere('server.id = :id', { id: call.params.mcpServerId }).getOne();
  if (found === null) throw restError('not_found');
  return represent(found, call);
}

export async function create(
  call: Call<typeof rest.createMcpServer>,
  deps: McpServerDeps,
): Promise<rest.McpServer> {
  const { db, organisation } = call;
  const { secret, url = null, command = null, ...fields } = call.body;
  if (fields.transport === 'STDIO') assertMayRunCommands(call, 'transport');
  const id = uuidv7();
  await db.insert(McpServer, {
    id,
    organisationId: organisation.id,
    ...fields,
    url: url === null ? null : checkedUrl(url, deps),
    command,
    ...sealed(deps, id, secret ?? null),
  });
  const after = represent(await findServer(call, id), call);
  call.changed({
    action: 'mcp-server.create',
    organisationId: organisation.id,
    target: { type: 'mcp-server', id },
    after,
    news: [{ kind: 'API_KEY', organisationId: organisation.id }],
  });
  return after;
}

export async function update(
  call: Call<typeof rest.updateMcpServer>,
  deps: McpServerDeps,
): Promise<rest.McpServer> {
  const { db, organisation, nowMs } = call;
  const id = call.params.mcpServerId;
  const row = await findServer(call, id, true);
  const before = represent(row, call);
  call.expectMatch(before);
  const { secret, ...fields } = definedFields(call.body);
  assertFits(call, row, fields);
  if (fields.url !== undefined) {
    fields.url = checkedUrl(fields.url, deps);
    // A stored secret is write-only, so changing the host must not send it elsewhere.
    const moved = row.url === null || new URL(fields.url).origin !== new URL(row.url).origin;
    if (moved && secret === undefined && row.secretPreview !== null) {
      throw invalid('url', 'the stored secret is for another host: send a new secret, or null');
    }
  }
  const secretColumns = secret === undefined ? {} : sealed(deps, id, secret);
  await db.update(McpServer, { id }, { ...fields, ...secretColumns, updatedAt: new Date(nowMs) });
  const after = represent(await findServer(call, id), call);
  call.changed({
    action: 'mcp-server.update',
    organisationId: organisation.id,
    target: { type: 'mcp-server', id },
    before,
    after,
    news: [{ kind: 'API_KEY', organisationId: organisation.id }],
  });
  return after;
}

/** Keeps the row for records that name it, deletes its secret, and frees its identifier. */
export async function remove(call: Call<typeof rest.deleteMcpServer>): Promise<void> {
  const { db, organisation } = call;
  const id = call.params.mcpServerId;
  const row = await findServer(call, id, true);
  const before = represent(row, call);
  call.expectMatch(before);
  await db.update(
    McpServer,
    { id },
    { status: 'ARCHIVED', identifier: `${row.identifier}~${id}`, ...NO_SECRET },
  );
  await db.delete(ApiKeyMcpAccess, { mcpServerId: id });
  await endLimitsOf(db, organisation.id, 'MCP_SERVER', id);
  call.changed({
    action: 'mcp-server.delete',
    organisationId: organisation.id,
    target: { type: 'mcp-server', id },
    before,
    news: [{ kind: 'API_KEY', organisationId: organisation.id }],
  });
}

/** A server of the organisation, or 404. Locked when `lock` is set. */
export async function findServer(
  call: Pick<Call, 'db' | 'organisation'>,
  id: string,
  lock = false,
): Promise<McpServer> {
  const found = await call.db.findOne(McpServer, {
    where: { id, organisationId: call.organisation.id, status: In(['ACTIVE', 'DISABLED']) },
    ...(lock ? { lock: { mode: 'pessimistic_write' } } : {}),
  });
  if (found === null) throw restError('not_found');
  return found;
}

/** A command runs on the gateway's host, so tenants may not set it. */
function assertMayRunCommands(call: Pick<Call, 'access'>, field: string): void {
  if (call.access.reach === 'everywhere') return;
  throw invalid(field, 'only a platform administrator may set up a server that runs a command');
}

function assertFits(
  call: Pick<Call, 'access'>,
  { transport }: McpServer,
  fields: { url?: string; command?: string; args?: string[] },
): void {
  const stdio = transport === 'STDIO';
  if (stdio && fields.url !== undefined) throw invalid('url', 'must be empty for transport STDIO');
  for (const field of ['command', 'args'] as const) {
    if (fields[field] === undefined) continue;
    if (!stdio) throw invalid(field, `transport ${transport} has none`);
    assertMayRunCommands(call, field);
  }
}

function checkedUrl(url: string, { addressRules }: McpServerDeps): string {
  const verdict = checkBaseUrl(url, addressRules);
  if (!verdict.ok) throw invalid('url', verdict.reason.replace('base URL', 'URL'));
  return url;
}

const NO_SECRET = {
  secretKeyId: null,
  secretNonce: null,
  secretCiphertext: null,
  secretTag: null,
  secretPreview: null,
};

function sealed({ keyRing }: McpServerDeps, id: string, secret: string | null) {
  if (secret === null) return NO_SECRET;
  const { keyId, nonce, ciphertext, tag } = sealSecret(keyRing, secret, mcpSecretContext(id));
  return {
    secretKeyId: keyId,
    secretNonce: nonce,
    secretCiphertext: ciphertext,
    secretTag: tag,
    secretPreview: previewOf(secret),
  };
}
