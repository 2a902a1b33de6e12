import { uuidv7 } from '@tollgate/kit';
import type { DataSource } from 'typeorm';

import { LedgerQuarantine } from '../../ledger/append/ledger-quarantine.entity';
import { UsageRerate } from '../../ledger/re-rating/usage-rerate.entity';
import { McpUsageRecord } from '../../ledger/records/mcp-usage-record.entity';
import { UsageRecord } from '../../ledger/records/usage-record.entity';
import { GRAINS } from '../../ledger/rollups/period-sql';
import { Invoice } from '../../resources/invoices/invoice.entity';
import type { Tenant } from './tenant';

type Owner = Pick<
  Tenant,
  'organisationId' | 'teamId' | 'userKeyId' | 'modelId' | 'providerId' | 'userIds'
>;

/** One booked request of the tenant's user key, as the ledger writes it. */
export async function bookRecord(
  orm: DataSource,
  owner: Owner,
  atMs: number,
  costNanoUsd = 1_000_000n,
): Promise<string> {
  const id = uuidv7(atMs);
  await orm.manager.insert(UsageRecord, {
    id,
    organisationId: owner.organisationId,
    teamId: owner.teamId,
    userId: owner.userIds.USER,
    apiKeyId: owner.userKeyId,
    modelId: owner.modelId,
    providerId: owner.providerId,
    modelName: 'gpt-test',
    operation: 'chat',
    route: '/v1/chat/completions',
    mode: 'SETTLED',
    outcome: 'COMPLETED',
    authorisedAt: new Date(atMs),
    closedAt: new Date(atMs + 20),
    stream: false,
    httpStatus: 200,
    usageQuality: 'EXACT',
    units: {},
    heldNanoUsd: costNanoUsd,
    estimateShortfallNanoUsd: 0n,
    inputTokensEstimate: 10n,
    latencyMs: 20,
    attempts: [
      {
        modelId: owner.modelId,
        providerId: owner.providerId,
        connectionVersion: 1,
        outcome: 'OK',
        startedAtMs: atMs,
        latencyMs: 15,
        firstTokenMs: 0,
        httpStatus: 200,
        costNanoUsd: costNanoUsd.toString(),
        upstreamRequestId: '',
      },
    ],
    shard: 0,
    seq: 1n,
    costNanoUsd,
    requests: 1,
    errors: 0,
    inputTokens: 8n,
    outputTokens: 4n,
    tokensIn: 8n,
    tokensOut: 4n,
    upstreamMs: 15n,
  });
  return id;
}

/** One booked call of a tool with the tenant's user key, as the ledger writes it. */
export async function bookMcpRecord(
  orm: DataSource,
  owner: Owner & Pick<Tenant, 'mcpServerId'>,
  atMs: number,
): Promise<string> {
  const id = await bookRecord(orm, owner, atMs);
  const { mcpServerId } = owner;
  const mcp = { modelId: null, modelName: '', providerId: null, mcpServerId, attempts: [] };
  await orm.manager.update(UsageRecord, { id }, { ...mcp, operation: 'mcp_call' });
  await orm.manager.insert(McpUsageRecord, {
    id,
    organisationId: owner.organisationId,
    teamId: owner.teamId,
    userId: owner.userIds.USER,
    apiKeyId: owner.userKeyId,
    mcpServerId,
    mcpServer: 'tools',
    method: 'tools/call',
    name: 'search',
    mode: 'SETTLED',
    outcome: 'COMPLETED',
    httpStatus: 200,
    isError: false,
    latencyMs: 20,
    requestBytes: 120n,
    responseBytes: 1_024n,
    costNanoUsd: 1_000_000n,
    calledAt: new Date(atMs),
  });
  return id;
}

/** A quarantined entry that could not be decoded. */
export async function createQuarantined(orm: DataSource): Promise<string> {
  const id = uuidv7();
  const place = { shard: 0, epoch: 0n, seq: 1n };
  await orm.manager.insert(LedgerQuarantine, {
    id,
    ...place,
    raw: Buffer.from([0, 255]),
    reason: 'it cannot be decoded',
  });
  return id;
}

/** A finished re-rating. */
export async function createRerate(orm: DataSource, organisationId: string): Promise<string> {
  const id = uuidv7();
  await orm.manager.insert(UsageRerate, {
    id,
    organisationId,
    startsAt: new Date(0),
    endsAt: new Date(1),
    dryRun: true,
    reason: 'to see',
    status: 'DONE',
    createdBy: uuidv7(),
  });
  return id;
}

/** A draft of a month long ago. */
export async function createInvoice(orm: DataSource, organisationId: string): Promise<string> {
  const id = uuidv7();
  await orm.manager.insert(Invoice, {
    id,
    organisationId,
    month: '2020-01-01',
    startsAt: new Date('2020-01-01T00:00:00Z'),
    endsAt: new Date('2020-02-01T00:00:00Z'),
    totalNanoUsd: 0n,
  });
  return id;
}

/** The same request in the rollups by hour, day and month. */
export async function bookRollup(
  orm: DataSource,
  owner: Owner,
  atMs: number,
  costNanoUsd: bigint,
): Promise<void> {
  await orm.query(
    `INSERT INTO usage (id, organisation_id, team_id, user_id, api_key_id, model_id, provider_id,
       hour, requests, completed, tokens_in, tokens_out, input_tokens, output_tokens,
       cost_nano_usd, upstream_ms, latency_ms, latency_count)
     VALUES ($1, $2, $3, $4, $5, $6, $7, date_trunc('hour', $8::timestamptz, 'UTC'),
       1, 1, 8, 4, 8, 4, $9, 15, 20, 1)`,
    [
      uuidv7(atMs),
      owner.organisationId,
      owner.teamId,
      owner.userIds.USER,
      owner.userKeyId,
      owner.modelId,
      owner.providerId,
      new Date(atMs),
      costNanoUsd.toString(),
    ],
  );
  for (const { period, unit, owners, detail } of GRAINS) {
    await orm.query(
      `INSERT INTO usage_period (id, organisation_id, team_id, user_id, api_key_id, model_id,
         provider_id, period, owners, starts, operation, status, requests, tokens_in, tokens_out,
         input_tokens, output_tokens, cost_nano_usd, upstream_ms, latency_ms, latency_count)
       SELECT $1, o.id, $3, $4, $5, $6, $7, $8, $9,
         CASE $12 WHEN 'hour' THEN date_trunc('hour', $10::timestamptz AT TIME ZONE 'UTC')
           ELSE date_trunc($12, $10::timestamptz AT TIME ZONE o.time_zone) END,
         $13, $14, 1, 8, 4, 8, 4, $11, 15, 20, 1
       FROM organisation o WHERE o.id = $2`,
      [
        uuidv7(atMs),
        owner.organisationId,
        owners ? owner.teamId : null,
        owners ? owner.userIds.USER : null,
        owners ? owner.userKeyId : null,
        detail ? owner.modelId : null,
        detail ? owner.providerId : null,
        period,
        owners,
        new Date(atMs),
        costNanoUsd.toString(),
        unit,
        detail ? 'chat' : '',
        detail ? 'COMPLETED' : '',
      ],
    );
  }
}
