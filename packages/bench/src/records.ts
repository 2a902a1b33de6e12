import { createRandom, seededId, type Random } from './random';
import type { Organisation } from './tenants';

/** Usage records as lines of COPY, in order of time; deterministic per seed. */

export const RECORD_COLUMNS = `id, organisation_id, team_id, user_id, api_key_id, model_id, provider_id,
  model_name, operation, route, client_request_id, mode, outcome, authorised_at, closed_at, stream,
  http_status, error_code, stop_reason, usage_quality, units, held_nano_usd,
  estimate_shortfall_nano_usd, input_tokens_estimate, latency_ms, first_token_ms,
  upstream_request_id, attempts, shard, seq, input_tokens, cache_read_tokens, output_tokens,
  reasoning_tokens, cost_nano_usd, requests, errors, tokens_in, tokens_out, upstream_ms`;

export interface RecordPlan {
  seed: number;
  records: number;
  startMs: number;
  endMs: number;
  organisations: readonly Organisation[];
}

/** Yields chunks of lines, at most `perChunk` records each. */
export function* recordLines(plan: RecordPlan, perChunk = 2_000): Generator<string> {
  const random = createRandom(plan.seed + 1);
  const stepMs = (plan.endMs - plan.startMs) / plan.records;
  let lines: string[] = [];
  for (let n = 0; n < plan.records; n += 1) {
    const atMs = Math.floor(plan.startMs + (n + random.next()) * stepMs);
    lines.push(recordLine(random, organisationOf(plan.organisations, random.next()), atMs, n + 1));
    if (lines.length < perChunk) continue;
    yield lines.join('');
    lines = [];
  }
  yield lines.join('');
}

function organisationOf(organisations: readonly Organisation[], share: number): Organisation {
  const found = organisations.find(({ upTo }) => share < upTo) ?? organisations.at(-1);
  if (found === undefined) throw new RangeError('there is no organisation');
  return found;
}

const NULL = '\\N';

/** Few keys and models do most of the work, as in practice. */
function favourite<T>(random: Random, list: readonly T[]): T {
  const item = list[Math.floor(random.next() ** 3 * list.length)];
  if (item === undefined) throw new RangeError('nothing to choose from');
  return item;
}

interface End {
  mode: string;
  outcome: string;
  status: number;
  error: string;
  stop: string;
}

function endOf(random: Random): End {
  const share = random.next();
  const done = { mode: 'SETTLED', error: NULL, stop: 'stop', status: 200, outcome: 'COMPLETED' };
  if (share < 0.965) return done;
  if (share < 0.98) {
    return { ...done, outcome: 'FAILED', status: 502, error: 'upstream_error', stop: NULL };
  }
  if (share < 0.99) {
    return { ...done, outcome: 'FAILED', status: 429, error: 'upstream_rate_limited', stop: NULL };
  }
  if (share < 0.995) return { ...done, outcome: 'CLIENT_CLOSED', stop: NULL };
  if (share < 0.999) return { ...done, outcome: 'PARTIAL', stop: NULL };
  return { ...done, mode: 'ABANDONED', outcome: NULL, stop: NULL };
}

function recordLine(random: Random, from: Organisation, atMs: number, seq: number): string {
  const key = favourite(random, from.keys);
  const model = favourite(random, from.models);
  const { mode, outcome, status, error, stop } = endOf(random);
  const failed = outcome === 'FAILED';
  const input = failed ? 0 : 50 + random.below(4_000);
  const cached = failed ? 0 : random.below(2_000);
  const output = failed ? 0 : 1 + random.below(800);
  const cost = (input * 2 + cached + output * 8) * model.nanoPerToken;
  const firstTokenMs = 80 + Math.floor(2_000 * random.next() ** 4);
  const latencyMs = firstTokenMs + output * 12;
  const stream = random.next() < 0.7;
  const authorised = new Date(atMs).toISOString();
  const attempt = `[{"modelId":"${model.id}","providerId":"${model.providerId}","connectionVersion":1,"outcome":"${failed ? 'FAILED' : 'OK'}","startedAtMs":${atMs},"latencyMs":${latencyMs},"firstTokenMs":${firstTokenMs},"httpStatus":${status},"costNanoUsd":"${cost}","upstreamRequestId":""}]`;
  return `${[
    seededId(random, atMs),
    from.id,
    key.teamId ?? NULL,
    key.userId ?? NULL,
    key.id,
    model.id,
    model.providerId,
    model.name,
    random.next() < 0.9 ? 'chat' : 'embeddings',
    '/v1/chat/completions',
    random.next() < 0.1 ? `client-${seq}` : NULL,
    mode,
    outcome,
    authorised,
    new Date(atMs + latencyMs).toISOString(),
    stream,
    status,
    error,
    stop,
    'EXACT',
    '{}',
    cost,
    0,
    input,
    latencyMs,
    stream ? firstTokenMs : NULL,
    NULL,
    attempt,
    0,
    seq,
    input,
    cached,
    output,
    0,
    cost,
    1,
    failed && status !== 429 ? 1 : 0,
    input + cached,
    output,
    latencyMs,
  ].join('\t')}\n`;
}
