import type { ApiKeyType, rest, Role } from '@tollgate/contracts';
import type { z } from 'zod';

import { regionsOf } from '../../resource/typed';
import { grantsDraftOf, grantsOfDraft, type GrantsDraft } from './grants-draft';

// The draft of a new key: form state and request body. Pure.

export const EXPIRIES = [
  { value: 'never', label: 'Never', days: undefined },
  { value: '7', label: 'In 7 days', days: 7 },
  { value: '30', label: 'In 30 days', days: 30 },
  { value: '90', label: 'In 90 days', days: 90 },
  { value: '365', label: 'In a year', days: 365 },
] as const;
export type Expiry = (typeof EXPIRIES)[number]['value'];

export interface Draft {
  readonly name: string;
  readonly type: ApiKeyType;
  readonly modelIds: readonly string[];
  readonly grants: GrantsDraft;
  readonly mcpServerIds: readonly string[];
  readonly teamId: string | undefined;
  readonly userId: string | undefined;
  /** As typed. */
  readonly allowedRegions: string;
  readonly expiry: Expiry;
}

const DAY_MS = 86_400_000;

/** Key types that a role may create, widest first. */
const TYPES: Readonly<Record<Role, readonly ApiKeyType[]>> = {
  SUPER_ADMIN: ['ORGANISATION', 'TEAM', 'USER'],
  ORG_ADMIN: ['ORGANISATION', 'TEAM', 'USER'],
  MANAGER: ['TEAM', 'USER'],
  USER: ['USER'],
};

export const TYPE_WORDS: Readonly<Record<ApiKeyType, { label: string; note: string }>> = {
  ORGANISATION: { label: 'Organisation', note: 'Usage counts for the organisation only' },
  TEAM: { label: 'Team', note: 'Usage also counts for one team' },
  USER: { label: 'User', note: 'Usage also counts for one user' },
};

export function typesFor(me: Pick<rest.Me, 'role' | 'managedTeamIds'>): readonly ApiKeyType[] {
  const types = TYPES[me.role];
  const leads = me.role !== 'MANAGER' || me.managedTeamIds.length > 0;
  return leads ? types : types.filter((type) => type !== 'TEAM');
}

export function newDraft(me: Pick<rest.Me, 'role' | 'managedTeamIds'>): Draft {
  return {
    name: '',
    type: typesFor(me)[0] ?? 'USER',
    modelIds: [],
    grants: grantsDraftOf([]),
    mcpServerIds: [],
    teamId: undefined,
    userId: undefined,
    allowedRegions: '',
    expiry: 'never',
  };
}

/** Sends only the owner that the type has. An owner chosen for an earlier type is dropped. */
export function bodyOf(draft: Draft, nowMs: number): z.input<typeof rest.apiKeyCreate> {
  const { name, type, modelIds, grants, mcpServerIds, teamId, userId } = draft;
  const expiresAt = expiryAt(draft.expiry, nowMs);
  return {
    name,
    type,
    modelIds: [...modelIds],
    modelGrants: grantsOfDraft(grants),
    mcpServerIds: [...mcpServerIds],
    allowedRegions: regionsOf(draft.allowedRegions),
    ...(type !== 'ORGANISATION' && teamId !== undefined ? { teamId } : {}),
    ...(type === 'USER' && userId !== undefined ? { userId } : {}),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/** The instant of a choice; undefined for never. */
export function expiryAt(expiry: Expiry, nowMs: number): string | undefined {
  const days = EXPIRIES.find(({ value }) => value === expiry)?.days;
  return days === undefined ? undefined : new Date(nowMs + days * DAY_MS).toISOString();
}
