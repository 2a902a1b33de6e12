import { rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import type { Access, Call } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import { countRowsOf } from '../../rest/matching';
import { decodeCursor, encodeCursor } from '../../rest/paging';

/** Refused and failed requests: the hours that edges report, summed by cause over a period. */

type PlatformQuery = z.output<typeof rest.listPlatformRefusedRequests.query>;
interface Asked {
  readonly db: EntityManager;
  readonly query: PlatformQuery;
  readonly access: Access;
  readonly nowMs: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const USUAL_DAYS = 7;
const CODES_MOST = 100;

export function list(call: Call<typeof rest.listRefusedRequests>): Promise<rest.RefusedRequests> {
  const { db, access, nowMs, organisation } = call;
  return answer({ db, access, nowMs, query: { ...call.query, organisationId: organisation.id } });
}

export function listOfPlatform(
  call: Call<typeof rest.listPlatformRefusedRequests>,
): Promise<rest.RefusedRequests> {
  return answer(call);
}

async function answer(asked: Asked): Promise<rest.RefusedRequests> {
  const { db, query, nowMs } = asked;
  const { fromMs, toMs } = spanOf(query, nowMs);
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const rows = `refused_request r LEFT JOIN api_key k ON k.id = r.api_key_id
    WHERE r.hour >= ${bind(iso(fromMs))} AND r.hour < ${bind(iso(toMs))}
    ${conditionsOf(asked, bind)
      .map((text) => `AND ${text}`)
      .join(' ')}`;

  const codes = codeRows.parse(
    await db.query(
      `SELECT r.code, sum(r.count)::text AS count, sum(sum(r.count)) OVER ()::text AS total
       FROM ${rows} GROUP BY r.code ORDER BY sum(r.count) DESC, r.code LIMIT ${CODES_MOST}`,
      values,
    ),
  );
  const sort = query.sort ?? '-lastAt';
  const page = pageOf(sort, query.cursor);
  const groups = `SELECT min(r.id::text) AS id, r.code, r.organisation_id, r.api_key_id, r.key_print,
      r.model, r.provider_id, r.limit_id, r.other, k.team_id, sum(r.count) AS count,
      min(r.first_at) AS first_at, max(r.last_at) AS last_at,
      (array_agg(r.last_request_id ORDER BY r.last_at DESC))[1] AS last_request_id,
      (array_agg(r.limit_state ORDER BY r.last_at DESC))[1] AS limit_state,
      (array_agg(r.need ORDER BY r.last_at DESC))[1] AS need
    FROM ${rows}
    GROUP BY r.code, r.organisation_id, r.api_key_id, r.key_print, r.model, r.provider_id,
      r.limit_id, r.other, k.team_id`;
  const matching =
    query.total === 'true'
      ? await countRowsOf(db, `SELECT FROM (${groups}) AS g LIMIT ${rest.COUNTED_ROWS + 1}`, [
          ...values,
        ])
      : undefined;
  const after =
    page.after === undefined
      ? ''
      : `WHERE (g.${page.column}, g.id) ${page.comparison}
           (${bind(page.after.key)}::${page.type}, ${bind(page.after.id)})`;
  const found = refusedRows.parse(
    await db.query(
      `SELECT p.*, o.name AS organisation, a.name AS api_key, t.name AS team, v.name AS provider,
         (SELECT m.id FROM model m
          WHERE m.organisation_id = p.organisation_id AND m.name = p.model LIMIT 1) AS model_id
       FROM (SELECT g.*, g.count::text AS count_text FROM (${groups}) AS g ${after}
         ORDER BY g.${page.column} ${page.direction}, g.id ${page.direction}
         LIMIT ${bind(query.limit + 1)}) AS p
       LEFT JOIN organisation o ON o.id = p.organisation_id
       LEFT JOIN api_key a ON a.id = p.api_key_id
       LEFT JOIN team t ON t.id = p.team_id
       LEFT JOIN provider v ON v.id = p.provider_id
       ORDER BY p.${page.column} ${page.direction}, p.id ${page.direction}`,
      values,
    ),
  );
  const shown = found.slice(0, query.limit);
  const last = found.length > query.limit ? shown.at(-1) : undefined;
  return {
    from: iso(fromMs),
    to: iso(toMs),
    total: Number(codes[0]?.total ?? 0),
    codes: codes.map(({ code, count }) => ({ code, count: Number(count) })),
    data: shown.map(represent),
    nextCursor: last === undefined ? null : encodeCursor(sort, page.keyOf(last), last.id),
    matching,
  };
}

function conditionsOf({ query, access }: Asked, bind: (value: unknown) => string): string[] {
  const texts: string[] = [];
  const equal = (column: string, value: unknown): void => {
    if (value !== undefined) texts.push(`${column} = ${bind(value)}`);
  };
  equal('r.organisation_id', query.organisationId);
  equal('r.code', query.code);
  equal('r.api_key_id', query.apiKeyId);
  equal('k.team_id', query.teamId);
  equal('r.provider_id', query.providerId);
  if (query.limitId !== undefined) {
    // A rate limit's parts have a suffix.
    texts.push(`left(r.limit_id, 36) = ${bind(query.limitId)}`);
  }
  if (query.modelId !== undefined) {
    texts.push(`EXISTS (SELECT FROM model m WHERE m.id = ${bind(query.modelId)}
      AND m.organisation_id = r.organisation_id AND m.name = r.model)`);
  }
  if (query.keyless !== undefined) {
    texts.push(`r.organisation_id IS ${query.keyless === 'true' ? '' : 'NOT '}NULL`);
  }
  if (access.reach === 'teams' || access.reach === 'self') {
    const teams = access.reach === 'teams' ? [...access.managedTeamIds] : [];
    texts.push(`(k.user_id = ${bind(access.userId)} OR k.team_id = ANY(${bind(teams)}::uuid[]))`);
  }
  return texts;
}

function spanOf({ from, to }: Pick<PlatformQuery, 'from' | 'to'>, nowMs: number) {
  const toMs = Math.ceil((to === undefined ? nowMs + 1 : Date.parse(to)) / HOUR_MS) * HOUR_MS;
  const wanted = from === undefined ? toMs - USUAL_DAYS * DAY_MS : Date.parse(from);
  const fromMs = Math.max(0, Math.floor(wanted / HOUR_MS) * HOUR_MS);
  if (fromMs >= toMs) throw invalid('from', 'must be before `to`');
  // Both ends are rounded to hours.
  if (toMs - fromMs > rest.REFUSED_DAYS * DAY_MS + 2 * HOUR_MS) {
    throw invalid('from', `at most ${rest.REFUSED_DAYS} days before \`to\``);
  }
  return { fromMs, toMs };
}

function pageOf(sort: string, cursor: string | undefined) {
  const descending = sort.startsWith('-');
  const byCount = sort.endsWith('count');
  const after = decodeCursor(cursor, sort, byCount ? 'text' : 'instant');
  if (after !== undefined && byCount && !/^\d{1,18}$/.test(after.key)) {
    throw invalid('cursor', 'not a cursor of this list');
  }
  return {
    after,
    column: byCount ? 'count' : 'last_at',
    type: byCount ? 'numeric' : 'timestamptz',
    direction: descending ? 'DESC' : 'ASC',
    comparison: descending ? '<' : '>',
    keyOf: (row: Row) => (byCount ? row.count_text : row.last_at.toISOString()),
  };
}

const codeRows = z.array(z.object({ code: z.string(), count: z.string(), total: z.string() }));

const uuid = z.string();
const row = z.object({
  id: uuid,
  code: z.string(),
  organisation_id: uuid.nullable(),
  organisation: z.string().nullable(),
  api_key_id: uuid.nullable(),
  api_key: z.string().nullable(),
  team_id: uuid.nullable(),
  team: z.string().nullable(),
  key_print: z.string(),
  model: z.string(),
  model_id: uuid.nullable(),
  provider_id: uuid.nullable(),
  provider: z.string().nullable(),
  other: z.boolean(),
  count_text: z.string(),
  first_at: z.date(),
  last_at: z.date(),
  last_request_id: uuid,
  limit_state: rest.refusingLimit.nullable(),
  need: rest.refusalNeed.nullable(),
});
const refusedRows = z.array(row);
type Row = z.output<typeof row>;

function represent(one: Row): rest.RefusedRequest {
  const named = (id: string | null, name: string | null) => (id === null ? null : { id, name });
  return {
    id: one.id,
    code: one.code,
    organisation: named(one.organisation_id, one.organisation),
    apiKey: named(one.api_key_id, one.api_key),
    team: named(one.team_id, one.team),
    keyFingerprint: one.key_print === '' ? null : one.key_print,
    model: one.model === '' ? null : { id: one.model_id, name: one.model },
    provider: named(one.provider_id, one.provider),
    limit: one.limit_state,
    need: one.need,
    several: one.other,
    count: Number(one.count_text),
    firstAt: one.first_at.toISOString(),
    lastAt: one.last_at.toISOString(),
    lastRequestId: one.last_request_id,
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();
