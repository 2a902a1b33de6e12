import { emptyUsage, mcpOperationOf, shardOf } from '@tollgate/contracts';
import {
  emptySettle,
  type AppendReply,
  type AppendRequest__Output,
  type Entry__Output,
  type McpRequest__Output,
  type McpResult__Output,
  type SettleRequest__Output,
} from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { Pool } from 'pg';

import { append } from '../ledger/append/append';
import { readShard } from '../ledger/records/shards';
import type { Tenant } from './fixtures';

/** An instant in the middle of an hour, a day, a week and a month. */
export const NOON_MS = Date.UTC(2026, 10, 18, 12, 30);

export type EntryValues = Partial<Omit<Entry__Output, 'settle' | 'subject'>> & {
  settle?: Partial<SettleRequest__Output>;
};

/** The dimensions of an entry. */
export type Charged = Pick<
  Tenant,
  'organisationId' | 'slug' | 'teamId' | 'userId' | 'apiKeyId' | 'modelId' | 'providerId'
>;

/** A ledger entry of the tenant's key: one completed request that cost 1,000 nano-USD. */
export function entryOf(tenant: Charged, values: EntryValues = {}): Entry__Output {
  const requestId = values.requestId ?? uuidv7();
  return {
    seq: 0,
    requestId,
    mode: 'SETTLED',
    authorisedAtMs: NOON_MS,
    closedAtMs: NOON_MS + 500,
    subject: {
      organisationId: tenant.organisationId,
      teamId: tenant.teamId,
      userId: tenant.userId,
      apiKeyId: tenant.apiKeyId,
      apiKeyName: 'a key',
      apiKeyType: 'USER',
      organisationSlug: tenant.slug,
    },
    modelId: tenant.modelId,
    modelName: 'model-one',
    providerId: tenant.providerId,
    operation: 'chat',
    route: '/v1/chat/completions',
    clientRequestId: 'client-1',
    heldNanoUsd: '5000',
    touched: [],
    timeZone: 'UTC',
    inputTokensEstimate: 12,
    estimateShortfallNanoUsd: '0',
    mcp: null,
    ...values,
    settle: settleOf(tenant, requestId, values.settle),
  };
}

/** How a tool call ended well. */
export const MCP_RESULT: McpResult__Output = {
  rpcErrorCode: 0,
  isError: false,
  protocolVersion: '2025-11-25',
  resultType: '',
  requestBytes: 120,
  responseBytes: 1_024,
  sessionSha256: Buffer.alloc(32, 7),
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
};

export type McpEntryValues = Omit<EntryValues, 'mcp'> & { mcp?: Partial<McpRequest__Output> };

/**
 * A ledger entry of the tenant's key: one completed call of a tool of an MCP server, which cost 1,000
 * nano-USD. Another `method` may make it another operation.
 */
export function mcpEntryOf(
  tenant: Charged,
  serverId: string,
  { mcp, settle, ...values }: McpEntryValues = {},
): Entry__Output {
  const request = { serverId, identifier: 'tools', method: 'tools/call', name: 'search', ...mcp };
  return entryOf(tenant, {
    modelId: '',
    modelName: '',
    providerId: '',
    operation: mcpOperationOf(request.method),
    route: '/v1/mcp/:identifier',
    heldNanoUsd: '1000',
    inputTokensEstimate: 0,
    ...values,
    mcp: request,
    settle: {
      usage: emptyUsage(),
      units: {},
      modelId: '',
      providerId: '',
      stopReason: '',
      responseId: '',
      upstreamRequestId: '',
      mcp: MCP_RESULT,
      ...settle,
    },
  });
}

function settleOf(
  tenant: Charged,
  requestId: string,
  values: Partial<SettleRequest__Output> = {},
): SettleRequest__Output {
  return {
    ...emptySettle(),
    requestId,
    outcome: 'COMPLETED',
    usage: {
      input: 10,
      cacheRead: 1,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      audioInput: 0,
      imageInput: 0,
      output: 5,
      audioOutput: 0,
      imageOutput: 0,
      reasoning: 2,
    },
    units: { image: '1' },
    usageQuality: 'EXACT',
    costNanoUsd: '1000',
    modelId: tenant.modelId,
    providerId: tenant.providerId,
    httpStatus: 200,
    latencyMs: 480,
    firstTokenMs: 90,
    upstreamMs: 400,
    stopReason: 'stop',
    stream: true,
    upstreamRequestId: 'up-1',
    responseId: 'resp-1',
    ...values,
  };
}

/** A batch that follows the shard's current position. */
export async function nextBatch(
  pool: Pool,
  tenant: Pick<Tenant, 'organisationId'>,
  entries: readonly Entry__Output[],
): Promise<AppendRequest__Output> {
  const shard = shardOf(tenant.organisationId);
  const { epoch, last_seq: prev } = await readShard(pool, shard);
  return {
    shard,
    epoch: Number(epoch),
    prev: Number(prev),
    last: Number(prev) + entries.length,
    entries: entries.map((entry, index) => ({ ...entry, seq: Number(prev) + 1 + index })),
    quarantine: false,
    quarantineReason: '',
    raw: [],
  };
}

/** Appends entries as the shard's next ones. */
export async function appendNext(
  pool: Pool,
  tenant: Pick<Tenant, 'organisationId'>,
  entries: readonly Entry__Output[],
): Promise<AppendReply> {
  const { reply } = await append(pool, await nextBatch(pool, tenant, entries));
  return reply;
}
