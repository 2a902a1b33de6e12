import { formatUsd, rest, SHADOW_ARM } from '@tollgate/contracts';
import { In } from 'typeorm';
import { z } from 'zod';

import type { Experiment } from '../../entities/experiment.entity';
import { Model } from '../../entities/model.entity';
import { ShadowSkip } from '../../ledger/reports/shadow-skip.entity';
import type { Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import { firstIdAt, lastIdBefore } from '../../rest/record-ids';
import { findExperiment } from './experiments';
import { budgetOfShadow } from './shadow';

/** The latest records of an experiment, read by their index: `$5`, and one more if there are older ones. */
const LATEST = `
  SELECT experiment_arm AS arm, model_id, outcome, response_cache, coalesce(error_code, '') AS error_code, errors, session,
    latency_ms, first_token_ms, tokens_in, tokens_out, cache_read_tokens, cost_nano_usd
  FROM usage_record
  WHERE organisation_id = $1 AND experiment_id = $2 AND authorised_at >= $3 AND authorised_at < $4
    AND id >= $8 AND id < $9
    AND (experiment_arm IS DISTINCT FROM '${SHADOW_ARM}' OR model_id = coalesce($7::uuid, model_id))
  ORDER BY authorised_at DESC, id DESC LIMIT $5::integer + 1`;

/** What an error or a kept answer took says nothing about the model. */
const ANSWERED = `FILTER (WHERE outcome = 'COMPLETED' AND response_cache IS DISTINCT FROM 'HIT')`;

/**
 * `$6` maps the name of each arm to the id of its model, `$7` is the model of the shadow: what another one did as the
 * shadow is left out. `$8` and `$9` bound the ids, for the partitions.
 */
export const COMPARISON = `
  WITH latest AS MATERIALIZED (${LATEST}),
  r AS (SELECT * FROM latest LIMIT $5),
  figures AS (
    SELECT arm, count(*) AS requests, sum(errors) AS errors, count(DISTINCT session) AS sessions,
      count(*) FILTER (WHERE model_id::text <> ($6::jsonb ->> arm)) AS other_model,
      percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY first_token_ms) ${ANSWERED}
        AS first_token,
      percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY latency_ms) ${ANSWERED} AS latency,
      count(*) FILTER (WHERE response_cache = 'HIT') AS cache_hits,
      count(*) FILTER (WHERE outcome = 'CLIENT_CLOSED') AS stopped,
      sum(tokens_in) AS tokens_in, sum(tokens_out) AS tokens_out,
      sum(cache_read_tokens) AS cached, sum(cost_nano_usd) AS cost
    FROM r GROUP BY arm
  ),
  codes AS (
    SELECT arm, error_code, count(*) AS requests,
      row_number() OVER (PARTITION BY arm ORDER BY count(*) DESC, error_code) AS place
    FROM r WHERE error_code <> '' GROUP BY arm, error_code
  )
  SELECT f.arm, f.requests::text AS requests, f.errors::text AS errors, f.sessions::text AS sessions,
    f.other_model::text AS "otherModel", f.first_token AS "firstToken", f.latency,
    f.tokens_in::text AS "tokensIn", f.tokens_out::text AS "tokensOut", f.cached::text AS cached,
    f.cost::text AS cost, f.cache_hits::text AS "cacheHits", f.stopped::text AS stopped,
    (SELECT count(*) > $5 FROM latest) AS older,
    (SELECT json_agg(json_build_object('code', c.error_code, 'requests', c.requests) ORDER BY c.place)
      FROM codes c WHERE c.arm = f.arm AND c.place <= ${String(rest.COMPARISON_CODES)}) AS codes
  FROM figures f ORDER BY f.arm`;

const number = z.coerce.number();
const points = z.tuple([number.nullable(), number.nullable()]).nullable();

const rows = z.array(
  z.object({
    arm: z.string(),
    requests: number,
    errors: number,
    sessions: number,
    otherModel: number,
    firstToken: points,
    latency: points,
    tokensIn: number,
    tokensOut: number,
    cached: number,
    cost: z.coerce.bigint(),
    cacheHits: number,
    stopped: number,
    older: z.boolean(),
    codes: z.array(z.object({ code: z.string(), requests: number })).nullable(),
  }),
);
type Row = z.output<typeof rows>[number];

const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;

/** Compares the arms of an experiment by their latest records, which are at most `COMPARISON_RECORDS`. */
export async function compare(
  call: Call<typeof rest.compareExperiment>,
): Promise<rest.ExperimentComparison> {
  const { db, organisation, query, nowMs } = call;
  const experiment = await findExperiment(call, call.params.experimentId);
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const fromMs = query.from === undefined ? toMs - USUAL_DAYS * DAY_MS : Date.parse(query.from);
  if (fromMs >= toMs) throw invalid('from', 'must be before `to`');
  if (toMs - fromMs > rest.COMPARISON_DAYS * DAY_MS) {
    throw invalid('from', `lies at most ${String(rest.COMPARISON_DAYS)} days before \`to\``);
  }
  const models = Object.fromEntries(experiment.arms.map(({ name, modelId }) => [name, modelId]));
  const found = rows.parse(
    await db.query(COMPARISON, [
      organisation.id,
      experiment.id,
      new Date(fromMs),
      new Date(toMs),
      rest.COMPARISON_RECORDS,
      JSON.stringify(models),
      experiment.shadow?.modelId ?? null,
      firstIdAt(fromMs),
      lastIdBefore(toMs),
    ]),
  );
  const names = await namesOf(call, Object.values(models));
  const records = found.reduce((sum, { requests }) => sum + requests, 0);
  const byArm = new Map(found.map((row) => [row.arm, row]));
  const gone = found.filter(({ arm }) => models[arm] === undefined && arm !== SHADOW_ARM);
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    records,
    truncated: found.some(({ older }) => older),
    arms: [
      ...experiment.arms.map(({ name, modelId, share }) => ({
        ...represent(name, byArm.get(name)),
        modelId,
        model: names.get(modelId) ?? null,
        share,
      })),
      ...gone.map((row) => ({
        ...represent(row.arm, row),
        modelId: null,
        model: null,
        share: null,
      })),
    ],
    shadow: await compareShadow(call, experiment, byArm.get(SHADOW_ARM)),
  };
}

async function compareShadow(
  call: Call<typeof rest.compareExperiment>,
  experiment: Experiment,
  row: Row | undefined,
): Promise<rest.ShadowComparison | null> {
  const { db } = call;
  const { id: experimentId, shadow } = experiment;
  const skips = await db.find(ShadowSkip, {
    where: { experimentId },
    order: { count: 'DESC', code: 'ASC' },
  });
  if (shadow === null && row === undefined && skips.length === 0) return null;
  const budget = await budgetOfShadow(call, experimentId);
  const modelId = shadow?.modelId ?? null;
  const names = await namesOf(call, modelId === null ? [] : [modelId]);
  const { sessions: _s, otherModel: _o, ...figures } = represent(SHADOW_ARM, row);
  return {
    ...figures,
    stopped: row?.stopped ?? 0,
    modelId,
    model: (modelId && names.get(modelId)) ?? null,
    samplePercent: shadow?.samplePercent ?? null,
    dailyUsd: budget === undefined ? null : formatUsd(budget.limitNanoUsd),
    spentTodayUsd: budget === undefined ? null : formatUsd(budget.spentNanoUsd),
    skipped: skips.map(({ code, count, lastAt }) => ({
      code,
      requests: Number(count),
      lastAt: lastAt.toISOString(),
    })),
  };
}

async function namesOf(
  { db, organisation }: Pick<Call, 'db' | 'organisation'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const models = await db.find(Model, {
    select: { id: true, name: true },
    where: { id: In(ids), organisationId: organisation.id },
  });
  return new Map(models.map(({ id, name }) => [id, name]));
}

function represent(
  arm: string,
  row: Row | undefined,
): Omit<rest.ArmComparison, 'modelId' | 'model' | 'share'> {
  const { cached = 0, cost = 0n, requests = 0, tokensIn = 0 } = row ?? {};
  return {
    arm,
    requests,
    sessions: row?.sessions ?? 0,
    errors: row?.errors ?? 0,
    errorCodes: row?.codes ?? [],
    otherModel: row?.otherModel ?? 0,
    cacheHits: row?.cacheHits ?? 0,
    firstTokenMs: percentilesOf(row?.firstToken),
    latencyMs: percentilesOf(row?.latency),
    tokensIn,
    tokensOut: row?.tokensOut ?? 0,
    cachedInputShare: tokensIn === 0 ? null : cached / tokensIn,
    costUsd: formatUsd(cost),
    costPerRequestUsd: requests === 0 ? null : formatUsd(cost / BigInt(requests)),
  };
}

function percentilesOf(found: Row['latency'] | undefined): rest.ArmComparison['latencyMs'] {
  const [p50 = null, p95 = null] = found ?? [];
  return { p50, p95 };
}
