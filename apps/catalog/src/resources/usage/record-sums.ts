import { rest } from '@tollgate/contracts';
import { z } from 'zod';

import type { Call } from '../../rest/call';
import { byOwner, sourceOf } from './explorer-source';
import { spansOf, type Span } from './explorer-span';
import { measuresOf, sumsOf, sumsRow } from './explorer-sql';

/** What the usage records of a list cost, from rollups: ten million records are a few hundred rows there. */

type ListCall = Call<typeof rest.listUsageRecords>;

/** Filters that rollups have as well. */
const ROLLED_UP: ReadonlySet<string> = new Set([
  'teamId',
  'userId',
  'apiKeyId',
  'modelId',
  'providerId',
  'mcpServerId',
]);
const PLACE: ReadonlySet<string> = new Set(['cursor', 'limit', 'sort', 'total', 'from', 'to']);

/** As far back as the explorer answers. */
const { EXPLORER_DAYS: DAYS, OWNER_HOURS_DAYS: OWNED } = rest;

/**
 * Adds the cost where rollups know these records, and their count where they were not counted to the end. After a
 * change of the time zone rollups of days have the records of other hours: then a whole count shows that they differ,
 * and there is no cost.
 */
export async function withSums(call: ListCall, matching: rest.Matching): Promise<rest.Matching> {
  const span = (await spanOf(call)) ?? null;
  if (span === null) return matching && { ...matching, costUsd: null };
  const { access, db, organisation, query } = call;
  const { id: organisationId, timeZone } = organisation;
  const source = sourceOf({ query, access, organisationId, timeZone, latency: false }, span);
  const { text, values } = sumsOf(source);
  const [row] = z.tuple([sumsRow]).parse(await db.query(text, values));
  const { costUsd, requests } = measuresOf(row);
  if (!matching || matching.more) return { count: requests, more: false, costUsd };
  return { ...matching, costUsd: requests === matching.count ? costUsd : null };
}

/** The span of rollups that has the records of the list, and no others. */
async function spanOf({
  access,
  db,
  nowMs,
  organisation,
  query,
}: ListCall): Promise<Span | undefined> {
  const { from } = query;
  if (from === undefined) return undefined;
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && !PLACE.has(name) && !ROLLED_UP.has(name)) return undefined;
  }
  const fromMs = Date.parse(from);
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  if (fromMs >= toMs) return undefined;
  const inDays = spansOf(query, undefined, organisation.timeZone, nowMs);
  // Nothing is authorised later than now.
  const isExact = ({ span }: typeof inDays): boolean =>
    span.fromMs === fromMs && (span.toMs === toMs || toMs >= nowMs);
  const found = isExact(inDays) ? inDays : spansOf(query, 'hour', organisation.timeZone, nowMs);
  const longest = found === inDays ? DAYS.month : byOwner(query, access) ? OWNED : DAYS.hour;
  if (!isExact(found) || found.days > longest) return undefined;
  // Rollups keep what retention has removed.
  const removed: unknown[] = await db.query(
    'SELECT FROM usage_removed WHERE organisation_id = $1 AND records_from > $2',
    [organisation.id, new Date(fromMs)],
  );
  return removed.length > 0 ? undefined : found.span;
}
