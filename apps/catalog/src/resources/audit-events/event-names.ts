import type { rest } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import { z } from 'zod';

import { namesOf, type Mention, type NamedKind } from '../../rest/object-names';

/** The names of what audit events mention by id. */

const KINDS_OF_TARGETS: ReadonlyMap<string, NamedKind> = new Map([
  ['apikey', 'apiKey'],
  ['mcp-server', 'mcpServer'],
  ['model', 'model'],
  ['organisation', 'organisation'],
  ['provider', 'provider'],
  ['team', 'team'],
  ['user', 'user'],
]);

const FIELDS: Readonly<Record<string, NamedKind>> = {
  apiKeyId: 'apiKey',
  mcpServerId: 'mcpServer',
  modelId: 'model',
  organisationId: 'organisation',
  providerId: 'provider',
  teamId: 'team',
  userId: 'user',
};

/** The kinds of what a limit can be for. */
const KINDS_OF_SCOPES: ReadonlyMap<string, NamedKind> = new Map([
  ['ORGANISATION', 'organisation'],
  ['TEAM', 'team'],
  ['USER', 'user'],
  ['API_KEY', 'apiKey'],
  ['MODEL', 'model'],
  ['MCP_SERVER', 'mcpServer'],
]);

const uuid = z.uuid();
const scopeState = z.object({ type: z.string(), id: z.string() });

type Unnamed = Omit<rest.AuditEvent, 'names'>;
type State = Unnamed['before'];

export async function withNames(
  db: EntityManager,
  events: readonly Unnamed[],
): Promise<rest.AuditEvent[]> {
  const mentioned = events.map(mentionsOf);
  const nameOf = await namesOf(db, mentioned.flat());
  return events.map((event, at) => {
    const names: Record<string, string> = {};
    for (const { kind, id } of mentioned[at] ?? []) {
      const name = nameOf(kind, id);
      if (id !== null && name !== null) names[id] = name;
    }
    return { ...event, target: { ...event.target, name: targetName(event, names) }, names };
  });
}

/** As it was after the change, or before a deletion; else its name now. */
function targetName(
  { target, before, after }: Unnamed,
  names: Readonly<Record<string, string>>,
): string | null {
  for (const field of ['name', 'email', 'number']) {
    const value = after?.[field] ?? before?.[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  return target.id === null ? null : (names[target.id] ?? null);
}

/** A member's target is `<team>/<user>`. Ids that are not UUIDs name nothing. */
function mentionsOf({ actor, target, before, after }: Unnamed): Mention[] {
  const mentions: Mention[] = [{ kind: 'user', id: actor.id }];
  const kind = KINDS_OF_TARGETS.get(target.type);
  if (kind !== undefined) mentions.push({ kind, id: target.id });
  if (target.type === 'team-member') {
    const [teamId = null, userId = null] = target.id?.split('/') ?? [];
    mentions.push({ kind: 'team', id: teamId }, { kind: 'user', id: userId });
  }
  mentions.push(...mentionsIn(before), ...mentionsIn(after));
  return mentions.filter(({ id }) => uuid.safeParse(id).success);
}

function mentionsIn(state: State): Mention[] {
  if (state === null) return [];
  const mentions: Mention[] = [];
  for (const [field, kind] of Object.entries(FIELDS)) {
    const id = state[field];
    if (typeof id === 'string') mentions.push({ kind, id });
  }
  const scope = scopeState.safeParse(state['scope']);
  const kind = KINDS_OF_SCOPES.get(scope.data?.type ?? '');
  if (kind !== undefined) mentions.push({ kind, id: scope.data?.id ?? null });
  return mentions;
}
