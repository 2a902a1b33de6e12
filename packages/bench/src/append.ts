import { randomUUID } from 'node:crypto';
import { append } from '@tollgate/catalog';
import { shardOf } from '@tollgate/contracts';
import { emptySettle, type Entry__Output } from '@tollgate/contracts/node';
import { uuidv7 } from '@tollgate/kit';
import type { Pool } from 'pg';

const PER_BATCH = 500;

interface Owner {
  organisation_id: string;
  api_key_id: string;
  team_id: string | null;
  user_id: string | null;
  model_id: string;
  provider_id: string;
}

/** Records per second that `Ledger.Append` books into a filled database, in batches. */
export async function appendThroughput(bench: Pool, batches: number): Promise<number> {
  const { rows } = await bench.query<Owner>(
    `SELECT k.organisation_id, k.id AS api_key_id, k.team_id, k.user_id, m.id AS model_id, m.provider_id
     FROM organisation o JOIN api_key k ON k.organisation_id = o.id
       JOIN LATERAL (SELECT * FROM model WHERE organisation_id = o.id LIMIT 5) AS m ON true
     WHERE o.slug = 'org-1' ORDER BY md5(k.id::text || m.id::text) LIMIT 300`,
  );
  const shard = shardOf(rows[0]?.organisation_id ?? '');
  const at = await bench.query<{ epoch: string; last_seq: string }>(
    'SELECT epoch::text, last_seq::text FROM ledger_shard WHERE id = $1',
    [shard],
  );
  const epoch = Number(at.rows[0]?.epoch);
  let prev = Number(at.rows[0]?.last_seq);
  const nowMs = Date.now();
  const startedMs = performance.now();
  for (let batch = 0; batch < batches; batch += 1) {
    const entries = Array.from({ length: PER_BATCH }, (_, at) =>
      entryOf(rows[(batch * 7 + at) % rows.length], prev + 1 + at, nowMs),
    );
    const request = { shard, epoch, prev, last: prev + PER_BATCH, entries };
    const { reply } = await append(bench, {
      ...request,
      quarantine: false,
      quarantineReason: '',
      raw: [],
    });
    if (reply.committed !== true) throw new Error('a batch was not committed');
    prev += PER_BATCH;
  }
  return Math.round((batches * PER_BATCH * 1000) / (performance.now() - startedMs));
}

function entryOf(owner: Owner | undefined, seq: number, nowMs: number): Entry__Output {
  if (owner === undefined) throw new Error('the database holds no keys');
  const requestId = uuidv7();
  const tokens = {
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    audioInput: 0,
    audioOutput: 0,
    imageInput: 0,
    imageOutput: 0,
  };
  return {
    seq,
    requestId,
    mode: 'SETTLED',
    authorisedAtMs: nowMs,
    closedAtMs: nowMs + 900,
    subject: {
      organisationId: owner.organisation_id,
      teamId: owner.team_id ?? '',
      userId: owner.user_id ?? '',
      apiKeyId: owner.api_key_id,
      apiKeyName: '',
      apiKeyType: 'USER',
      organisationSlug: 'org-1',
    },
    modelId: owner.model_id,
    modelName: 'model-1',
    providerId: owner.provider_id,
    operation: 'chat',
    route: '/v1/chat/completions',
    clientRequestId: randomUUID(),
    heldNanoUsd: '5000000',
    touched: [],
    timeZone: 'UTC',
    inputTokensEstimate: 500,
    estimateShortfallNanoUsd: '0',
    mcp: null,
    settle: {
      ...emptySettle(),
      requestId,
      outcome: 'COMPLETED',
      usage: { input: 500, output: 200, reasoning: 0, ...tokens },
      usageQuality: 'EXACT',
      costNanoUsd: '3250000',
      modelId: owner.model_id,
      providerId: owner.provider_id,
      httpStatus: 200,
      latencyMs: 300 + (seq % 1500),
      firstTokenMs: 100 + (seq % 300),
      upstreamMs: 800,
      stopReason: 'stop',
      stream: true,
      upstreamRequestId: 'up',
      responseId: 'resp',
    },
  };
}
