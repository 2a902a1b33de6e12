import { isOneOf, rest } from '@tollgate/contracts';

import { reachSql } from '../../rest/access';
import type { Access } from '../../rest/call';
import { invalid } from '../../rest/field-errors';
import type { RecordSpan } from './explorer-records';
import type { Between, Span } from './explorer-span';
import { DIMENSIONS, readsHours, type Conditions, type Source } from './explorer-sql';
import { listHas } from './lists';

/** Selects the rollup that answers a question, and the rows that the caller may see. */

type Filter = keyof typeof FILTERS;

export interface Question {
  readonly query: Readonly<Partial<Record<Filter, string | undefined>>> & {
    readonly groupBy?: rest.ExplorerDimension | undefined;
    readonly region?: string | undefined;
    readonly tag?: string | undefined;
    readonly tagKey?: string | undefined;
  };
  /** Absent: all organisations. */
  readonly organisationId: string | undefined;
  readonly access: Access;
  readonly timeZone: string;
  readonly latency: boolean;
}

const FILTERS = {
  teamId: 'team_id',
  userId: 'user_id',
  apiKeyId: 'api_key_id',
  modelId: 'model_id',
  providerId: 'provider_id',
  mcpServerId: 'mcp_server_id',
  status: 'status',
  operation: 'operation',
  endUser: 'end_user',
  session: 'session',
  agentClass: 'agent_class',
  responseCache: 'response_cache',
  experimentId: 'experiment_id',
  experimentArm: 'experiment_arm',
  routingPolicyId: 'routing_policy_id',
} as const;

/** Whether the question needs rows keyed by team, user and key. */
export function byOwner(query: Question['query'], access: Access): boolean {
  const { teamId, userId, apiKeyId, groupBy } = query;
  if (access.reach === 'teams' || access.reach === 'self') return true;
  if (groupBy !== undefined && DIMENSIONS[groupBy].owner) return true;
  return [teamId, userId, apiKeyId].some((id) => id !== undefined);
}

/** Whether the answer distinguishes models, providers, MCP servers, statuses or operations. */
function byDetail(query: Question['query']): boolean {
  const { modelId, providerId, mcpServerId, status, operation, groupBy } = query;
  if (groupBy !== undefined && DIMENSIONS[groupBy].detail) return true;
  return [modelId, providerId, mcpServerId, status, operation].some((value) => value !== undefined);
}

/** Whether only records can answer: attribution, the response cache, experiments and routing policies have no rollups. */
function byAttribution({ groupBy, ...query }: Question['query']) {
  if (isOneOf(rest.ATTRIBUTION_DIMENSIONS, groupBy)) return true;
  const { agentClass, endUser, experimentArm, experimentId, responseCache, session, tag } = query;
  const who = [agentClass, endUser, session, tag];
  const told = [...who, experimentArm, experimentId, responseCache, query.routingPolicyId];
  return told.some((value) => value !== undefined);
}

/** What is read of the records. Undefined: rollups answer the question. */
function recordsOf({ query, organisationId }: Question, between: Between): RecordSpan | undefined {
  const { endUser, groupBy, region, session, tagKey } = query;
  if ((groupBy === 'tag') !== (tagKey !== undefined)) {
    throw invalid('tagKey', 'belongs to groupBy=tag, and only to it');
  }
  const byRegion = region !== undefined || groupBy === 'region';
  const attributed = byAttribution(query);
  if (!byRegion && !attributed) return undefined;
  if (organisationId === undefined) {
    throw invalid(
      'organisationId',
      'is required to filter or group by region, end user, session, agent, tag, response cache, experiment or routing policy',
    );
  }
  const days = (between.toMs - between.fromMs) / DAY_MS;
  const indexed = endUser !== undefined || session !== undefined;
  const of = attributed
    ? 'attribution, the response cache, experiments and routing policies go'
    : 'regions go';
  const longest = attributed ? rest.ATTRIBUTION_DAYS : rest.REGION_DAYS;
  // Widening to whole days adds up to two.
  if (!indexed && days > longest + 2) {
    throw invalid('from', `${of} back at most ${longest} days before \`to\``);
  }
  return { ...between, organisationId, tagKey };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function sourceOf(question: Question, { segments, fromMs, toMs }: Span): Source {
  const { query, access, organisationId, timeZone, latency } = question;
  const owners = byOwner(query, access);
  const records = recordsOf(question, { fromMs, toMs });
  if (readsHours({ segments, owners, records })) {
    const longest = rest.OWNER_HOURS_DAYS;
    // Widening to full hours adds up to two.
    if (toMs - fromMs > longest * DAY_MS + 2 * HOUR_MS) {
      throw invalid('from', `hours by owner go back at most ${longest} days before \`to\``);
    }
    for (const field of ['status', 'operation'] as const) {
      if (query[field] !== undefined)
        throw invalid(field, 'is not available by hour for a team, user or key');
      if (query.groupBy === field)
        throw invalid('groupBy', 'is not available by hour for a team, user or key');
    }
  }
  const conditions: Conditions = { texts: [], values: [] };
  const bind = (value: unknown): string => `$${conditions.values.push(value)}`;
  if (organisationId !== undefined) {
    conditions.texts.push(`organisation_id = ${bind(organisationId)}`);
  }
  for (const [field, column] of Object.entries(FILTERS)) {
    const value = query[field as keyof typeof FILTERS];
    if (value !== undefined) conditions.texts.push(`${column} = ${bind(value)}`);
  }
  const reached = reachSql(access, bind);
  if (reached !== undefined) conditions.texts.push(reached);
  if (query.region !== undefined) conditions.texts.push(listHas('regions', bind(query.region)));
  if (query.tag !== undefined) conditions.texts.push(listHas('tags', bind(query.tag)));
  return { segments, conditions, owners, detail: byDetail(query), latency, timeZone, records };
}
