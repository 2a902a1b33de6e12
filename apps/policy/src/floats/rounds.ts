import { POST_MAX, StoreUnavailableError, type PostOutcome } from '../store';
import { applyPosted, loseFloat, takeOut } from './answer';
import { nextPost } from './batch';
import { end } from './decide';
import type { Now, Rules } from './decision';
import type { FloatDeps } from './floats';
import { keepAll, type ShardMemory } from './memory';
import type { RedisTime } from './time';

// The memory of all shards as time passes: posts and their answers, leases that are over, floats that are lost.

export interface Running extends FloatDeps {
  readonly shards: Map<number, { readonly memory: ShardMemory; readonly time: RedisTime }>;
  readonly elapsed: () => number;
  readonly rules: Rules;
  generation: number;
  draining: boolean;
}

export const nextFloatId = (r: Running): string => `${r.processId}.${String((r.generation += 1))}`;

export const nowOf = (r: Running, time: RedisTime): Now => ({
  nowMs: r.elapsed(),
  redisMs: time.now(),
});

/** Pause after a post that was refused for its epoch, while the new one is fetched. */
const EPOCH_PAUSE_MS = 250;
/** Pause between two looks for leases that are over. */
const LEASES_MS = 100;

/** A fault in what is remembered ends the float and not the process. */
export function tick(r: Running, shard: number, m: ShardMemory, time: RedisTime): void {
  try {
    step(r, shard, m, time);
  } catch (error) {
    void giveUp(r, m, time, error);
  }
}

function step(r: Running, shard: number, m: ShardMemory, time: RedisTime): void {
  followMembers(r, m); // guard: older member
  const { nowMs, redisMs } = nowOf(r, time);
  if (m.epoch !== r.epochOf(shard)) {
    lose(r, m, time);
    m.pausedUntilMs = nowMs;
  }
  // Not open, as far as is known.
  if (m.epoch === 0) return;
  if (nowMs - m.lookedAtMs >= LEASES_MS) {
    m.lookedAtMs = nowMs;
    abandonExpired(r, m, redisMs);
  }
  if (m.underWay === undefined && nowMs >= m.pausedUntilMs)
    m.underWay = nextPost(m, r, nowMs, redisMs ?? 0);
  const { underWay } = m;
  if (underWay === undefined) return;
  if (nowMs - underWay.firstSentAtMs >= r.parameters.troubleMs && !underWay.troubled) {
    underWay.troubled = true;
    keepAll(m);
    r.onAdopt(shard, m.floatId); // guard: adopt notice
  }
  if (underWay.sending) return;
  send(r, m, time).catch((error: unknown) => giveUp(r, m, time, error));
}

/** Whoever does not know floats would overlook them, so what runs becomes ordinary holds. */
function followMembers(r: Running, m: ShardMemory): void {
  const gives = r.draining || !r.allKnowFloats();
  if (gives && !m.draining) keepAll(m);
  m.draining = gives;
}

function abandonExpired(r: Running, m: ShardMemory, redisMs: number | undefined): void {
  if (redisMs === undefined) return;
  for (const hold of m.holds.values()) {
    if (hold.state !== 'LIVE' || hold.leaseUntilMs > redisMs) continue;
    end(m, hold, r.rules, r.abandoned(hold));
  }
}

async function send(r: Running, m: ShardMemory, time: RedisTime): Promise<void> {
  const { underWay } = m;
  if (underWay === undefined) return;
  underWay.sending = true;
  const sentAt = time.sent();
  let outcome: PostOutcome;
  try {
    outcome = await r.store.post(underWay.item);
  } catch (error) {
    if (m.underWay !== underWay) return;
    underWay.sending = false;
    // It may have been applied: the same is sent again.
    if (error instanceof StoreUnavailableError) return;
    await giveUp(r, m, time, error);
    return;
  }
  // The float was lost meanwhile.
  if (m.underWay !== underWay) return;
  // Redis has lost what it answers for. Whoever asks again since then must not get numbers of before.
  if (m.epoch !== r.epochOf(m.shard)) {
    lose(r, m, time);
    return;
  }
  underWay.sending = false;
  const { ends, last } = { ends: underWay.ends.length, last: underWay.item.last };
  switch (outcome.kind) {
    case 'POSTED':
    case 'AGAIN': {
      // The answer to a repeated post is the first one.
      time.learn(outcome.nowMs, outcome.kind === 'POSTED' ? sentAt : undefined);
      applyPosted(m, outcome, { nowMs: r.elapsed(), redisMs: outcome.nowMs });
      r.onPosted?.(ends);
      if (last) loseFloat(m, nextFloatId(r));
      else if (m.ends.length >= POST_MAX) tick(r, m.shard, m, time);
      return;
    }
    case 'ELSE':
      if (takeOut(m, outcome.requestIds) === 0) throw new Error('the post names none of these');
      return await send(r, m, time);
    case 'LATE':
      time.learn(outcome.nowMs, sentAt);
      return;
    case 'EPOCH':
      lose(r, m, time);
      m.pausedUntilMs = r.elapsed() + EPOCH_PAUSE_MS;
      r.onEpoch(m.shard, outcome);
      return;
    case 'GONE':
    case 'OLD':
      lose(r, m, time);
  }
}

// What is in memory is adopted by the edges; what has ended is closed by today's scripts.
function lose(r: Running, m: ShardMemory, time: RedisTime): void {
  const { floatId, batch } = m;
  const hadHolds = m.holds.size > 0;
  loseFloat(m, nextFloatId(r));
  time.forget();
  m.epoch = r.epochOf(m.shard);
  if (batch > 0 && hadHolds) r.onAdopt(m.shard, floatId);
}

/** Calls for one float; each takes up to 200 requests of its journal. */
const RECLAIMS_MAX = 100;

// An error that is not understood: Redis may have applied a part of the post.
async function giveUp(r: Running, m: ShardMemory, time: RedisTime, error: unknown): Promise<void> {
  const { shard, epoch, floatId } = m;
  r.log.error('a float was given up', { shard, floatId, error });
  lose(r, m, time);
  try {
    for (let calls = 0; calls < RECLAIMS_MAX; calls += 1) {
      const outcome = await r.store.reclaim({
        shard,
        epoch,
        floatId,
        leaseMs: r.leaseMs,
        own: true,
      });
      if (outcome.kind !== 'MORE') return;
    }
  } catch (failure) {
    // Its lease ends, and the sweeper reclaims it.
    r.log.warn('a float could not be reclaimed', { shard, floatId, error: failure });
  }
}
