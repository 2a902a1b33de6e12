import { formatUsd, parseUsd, rest, restError } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';
import { In } from 'typeorm';

import { freedName } from '../../entities/freed-name';
import { mcpAuthOf, McpServer } from '../../entities/mcp-server.entity';
import type { Call } from '../../rest/call';
import { definedFields } from '../../rest/defined-fields';
import { idKey, likePattern, readPage } from '../../rest/paging';
import { NO_SECRET } from '../../secrets';
import { ApiKeyMcpAccess } from '../apikeys/api-key-mcp-access.entity';
import { storedRulesOf, wholeRulesOf } from '../apikeys/mcp-rules';
import { withinMcpReach } from '../apikeys/visible-mcp-servers';
import { endLimitsOf } from '../limits/end-limits';
import { assertFits, assertMayRunCommands } from './assert-transport';
import {
  assertConnection,
  assertSecretStays,
  authAfter,
  isReachedDifferently,
  sealedSecret,
  type Connection,
  type McpServerDeps,
} from './connection-settings';

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
    headers: whole ? row.headers : {},
    auth: whole ? mcpAuthOf(row) : null,
    secretPreview: row.secretPreview,
    connectTimeoutMs: row.connectTimeoutMs,
    idleTimeoutMs: row.idleTimeoutMs,
    timeoutMs: row.idleTimeoutMs,
    callPriceUsd: formatUsd(row.callNanoUsd),
    toolPricesUsd: mapped(row.toolNanoUsd, (nanoUsd) => formatUsd(BigInt(nanoUsd))),
    chargeFailures: row.chargeFailures,
    ...wholeRulesOf(row.rules),
    pinnedTools: row.pinnedTools,
    region: row.region,
    connectionVersion: row.connectionVersion,
    status: row.status === 'ACTIVE' ? 'ACTIVE' : 'DISABLED',
    statusNote: row.statusNote,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

function mapped<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

/** For the audit trail, which would take names of tools for names of secrets, and digests for keys. */
function audited({ toolPricesUsd, pinnedTools, ...server }: rest.McpServer) {
  return {
    ...server,
    toolPricesUsd: Object.entries(toolPricesUsd).map(([tool, usd]) => `${tool}: ${usd}`),
    pinnedTools: pinnedTools.map(({ name, sha256 }) => `${name}: ${sha256}`),
  };
}

export async function list(
  call: Call<typeof rest.listMcpServers>,
): Promise<rest.PageOf<rest.McpServer>> {
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
    total: query.total,
    sort: query.sort ?? 'name',
    id,
    keys: { createdAt: id, name: { column: 'server.name', of: (row) => row.name } },
  });
  return {
    data: page.rows.map((row) => represent(row, call)),
    nextCursor: page.nextCursor,
    matching: page.matching,
  };
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
  const { db, organisation, body } = call;
  const { identifier, transport, name, headers, connectTimeoutMs, status, secret = null } = body;
  if (transport === 'STDIO') assertMayRunCommands(call, 'transport');
  const id = uuidv7();
  const sealed = sealedSecret(deps, id, secret);
  const connection: Connection = {
    transport,
    url: body.url ?? null,
    command: body.command ?? null,
    headers,
    auth: authAfter({ transport, auth: null, secretKeyId: null }, body.auth, secret),
    secretKeyId: sealed.secretKeyId,
    connectTimeoutMs,
    idleTimeoutMs: idleTimeoutOf(body) ?? rest.MCP_IDLE_TIMEOUT_MS,
  };
  assertConnection(connection, deps);
  await db.insert(McpServer, {
    id,
    organisationId: organisation.id,
    identifier,
    name,
    status,
    ...connection,
    ...sealed,
    ...useColumns(body),
    rules: storedRulesOf(body),
  });
  const after = represent(await findServer(call, id), call);
  noteChange(call, 'mcp-server.create', id, undefined, after);
  return after;
}

export async function update(
  call: Call<typeof rest.updateMcpServer>,
  deps: McpServerDeps,
): Promise<rest.McpServer> {
  const { db, nowMs } = call;
  const id = call.params.mcpServerId;
  const row = await findServer(call, id, true);
  const before = represent(row, call);
  call.expectMatch(before);
  const body = definedFields(call.body);
  assertFits(call, row, body);
  const { name, status } = body;
  const settings = definedFields({
    ...useColumns(body),
    name,
    status,
    rules: storedRulesOf({ ...row.rules, ...body }),
    // Of a command line that is no longer there.
    args: body.command === undefined ? undefined : [],
    statusNote: status === undefined ? undefined : null,
  });
  const connection = connectionAfter(row, body, id, deps);
  // Edges keep the region with the connection.
  const moved = body.region !== undefined && body.region !== row.region;
  const version =
    moved || isReachedDifferently(row, connection, body.secret)
      ? row.connectionVersion + 1
      : row.connectionVersion;
  await db.update(
    McpServer,
    { id },
    { ...settings, ...connection, connectionVersion: version, updatedAt: new Date(nowMs) },
  );
  const after = represent(await findServer(call, id), call);
  noteChange(call, 'mcp-server.update', id, before, after);
  return after;
}

type Patch = ReturnType<typeof definedFields<rest.McpServerPatch>>;

/** The columns of the connection after a change that was checked. */
function connectionAfter(row: McpServer, body: Patch, id: string, deps: McpServerDeps) {
  const auth = authAfter(row, body.auth, body.secret);
  // What nothing sends any more is not kept.
  const dropped = auth.type === 'NONE' && row.transport !== 'STDIO';
  const secret = dropped ? null : body.secret;
  const sealed = secret === undefined ? {} : sealedSecret(deps, id, secret);
  const connection = {
    transport: row.transport,
    url: body.url ?? row.url,
    command: body.command ?? row.command,
    headers: body.headers ?? row.headers,
    auth,
    secretKeyId: row.secretKeyId,
    connectTimeoutMs: body.connectTimeoutMs ?? row.connectTimeoutMs,
    idleTimeoutMs: idleTimeoutOf(body) ?? row.idleTimeoutMs,
    ...sealed,
  };
  assertConnection(connection, deps, row);
  if (secret === undefined) assertSecretStays(row, connection);
  return connection;
}

/** The columns of what calls cost, which definitions may be called, and where that is. */
function useColumns(
  body: Partial<
    Pick<
      rest.McpServerCreate,
      'callPriceUsd' | 'toolPricesUsd' | 'chargeFailures' | 'pinnedTools' | 'region'
    >
  >,
) {
  const { callPriceUsd, toolPricesUsd, chargeFailures, pinnedTools, region } = body;
  return definedFields({
    callNanoUsd: callPriceUsd === undefined ? undefined : parseUsd(callPriceUsd),
    toolNanoUsd: toolPricesUsd && mapped(toolPricesUsd, (usd) => String(parseUsd(usd))),
    chargeFailures,
    pinnedTools,
    region,
  });
}

/** `timeoutMs` is the former name; a body has both only if they are equal. */
function idleTimeoutOf(body: {
  idleTimeoutMs?: number | undefined;
  timeoutMs?: number | undefined;
}): number | undefined {
  return body.idleTimeoutMs ?? body.timeoutMs;
}

/** Keeps the row for records that name it, deletes its secret, and frees its identifier. */
export async function remove(call: Call<typeof rest.deleteMcpServer>): Promise<void> {
  const { db } = call;
  const id = call.params.mcpServerId;
  const row = await findServer(call, id, true);
  const before = represent(row, call);
  call.expectMatch(before);
  await db.update(
    McpServer,
    { id },
    { status: 'ARCHIVED', identifier: freedName(row.identifier, id), ...NO_SECRET },
  );
  await db.delete(ApiKeyMcpAccess, { mcpServerId: id });
  await endLimitsOf(db, call.organisation.id, 'MCP_SERVER', id);
  noteChange(call, 'mcp-server.delete', id, before, undefined);
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

function noteChange(
  call: Pick<Call, 'changed' | 'organisation'>,
  action: string,
  id: string,
  before: rest.McpServer | undefined,
  after: rest.McpServer | undefined,
): void {
  const organisationId = call.organisation.id;
  call.changed({
    action,
    organisationId,
    target: { type: 'mcp-server', id },
    ...(before === undefined ? {} : { before: audited(before) }),
    ...(after === undefined ? {} : { after: audited(after) }),
    news: [{ kind: 'API_KEY', organisationId }],
  });
}
