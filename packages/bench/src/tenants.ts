import { createHash } from 'node:crypto';
import type { Pool } from 'pg';

import { createRandom, seededId, type Random } from './random';

/** Organisations of very different sizes that use the gateway in the benchmark. */

export interface Key {
  id: string;
  teamId: string | null;
  userId: string | null;
}
export interface Model {
  id: string;
  name: string;
  providerId: string;
  nanoPerToken: number;
}
export interface Organisation {
  id: string;
  slug: string;
  timeZone: string;
  /** Share of all requests of the organisations up to this one. */
  upTo: number;
  teamIds: string[];
  userIds: string[];
  keys: Key[];
  models: Model[];
}

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Sydney'];
export const ORGANISATIONS = 40;

/**
 * The n-th organisation has 1/n of the first one's weight, so the first makes a quarter of all
 * requests.
 */
export function makeOrganisations(seed: number, startMs: number): Organisation[] {
  const random = createRandom(seed);
  const weights = Array.from({ length: ORGANISATIONS }, (_, at) => 1 / (at + 1));
  const sum = weights.reduce((a, b) => a + b, 0);
  let upTo = 0;
  return weights.map((weight, at) => {
    upTo += weight / sum;
    const size = weight / (weights[0] ?? 1);
    const organisation = makeOrganisation(random, startMs, at, size);
    return { ...organisation, upTo };
  });
}

function makeOrganisation(
  random: Random,
  ms: number,
  at: number,
  size: number,
): Omit<Organisation, 'upTo'> {
  const ids = (count: number): string[] =>
    Array.from({ length: Math.max(1, Math.round(count)) }, () => seededId(random, ms));
  const teamIds = ids(3 + 17 * size);
  const userIds = ids(5 + 195 * size);
  const providerIds = ids(2);
  const models = ids(4 + 6 * size).map((id, index): Model => ({
    id,
    name: `model-${index + 1}`,
    providerId: providerIds[index % providerIds.length] ?? '',
    nanoPerToken: 150 * (1 + random.below(60)),
  }));
  const keys = ids(5 + 395 * size).map((id, index): Key => {
    if (index % 5 === 0) return { id, teamId: null, userId: null };
    const teamId = teamIds[random.below(teamIds.length)] ?? null;
    if (index % 5 === 1) return { id, teamId, userId: null };
    return { id, teamId, userId: userIds[random.below(userIds.length)] ?? null };
  });
  const timeZone = ZONES[at % ZONES.length] ?? 'UTC';
  const [id = ''] = ids(1);
  return { id, slug: `org-${at + 1}`, timeZone, teamIds, userIds, keys, models };
}

/** Inserts the owners that the records name, which lists and breakdowns look up. */
export async function insertOrganisations(
  pool: Pool,
  organisations: readonly Organisation[],
): Promise<void> {
  for (const one of organisations) {
    const { id, slug, teamIds, userIds, models } = one;
    const providerIds = [...new Set(models.map((model) => model.providerId))];
    await pool.query(
      'INSERT INTO organisation (id, slug, name, time_zone) VALUES ($1, $2, $2, $3)',
      [id, slug, one.timeZone],
    );
    await pool.query(
      `INSERT INTO team (id, organisation_id, name)
       SELECT t, $1, 'Team ' || n FROM unnest($2::uuid[]) WITH ORDINALITY AS x(t, n)`,
      [id, teamIds],
    );
    await pool.query(
      `INSERT INTO user_account (id, organisation_id, email, name, role)
       SELECT u, $1, 'user-' || n || '@' || $3 || '.example.com', 'User ' || n, 'USER'
       FROM unnest($2::uuid[]) WITH ORDINALITY AS x(u, n)`,
      [id, userIds, slug],
    );
    await pool.query(
      `INSERT INTO provider (id, organisation_id, name, type, upstream_format, base_url)
       SELECT p, $1, 'Provider ' || n, 'PROVIDER_A', 'openai', 'http://127.0.0.1:9/v1'
       FROM unnest($2::uuid[]) WITH ORDINALITY AS x(p, n)`,
      [id, providerIds],
    );
    await pool.query(
      `INSERT INTO model (id, organisation_id, name, provider_id, upstream_model, type, context_tokens)
       SELECT m, $1, n, p, n, 'chat', 128000 FROM unnest($2::uuid[], $3::text[], $4::uuid[]) AS x(m, n, p)`,
      [id, models.map((m) => m.id), models.map((m) => m.name), models.map((m) => m.providerId)],
    );
    await insertKeys(pool, one);
  }
}

async function insertKeys(pool: Pool, { id, keys }: Organisation): Promise<void> {
  const typeOf = (key: Key): string =>
    key.userId !== null ? 'USER' : key.teamId === null ? 'ORGANISATION' : 'TEAM';
  await pool.query(
    `INSERT INTO api_key (id, organisation_id, name, type, team_id, user_id, key_sha256, preview)
     SELECT k, $1, 'Key ' || n, t, team, u, decode(sha, 'hex'), 'tg_…'
     FROM unnest($2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::text[])
       WITH ORDINALITY AS x(k, t, team, u, sha, n)`,
    [
      id,
      keys.map((key) => key.id),
      keys.map(typeOf),
      keys.map((key) => key.teamId),
      keys.map((key) => key.userId),
      keys.map((key) => createHash('sha256').update(key.id).digest('hex')),
    ],
  );
}
