'use client';

import { rest } from '@tollgate/contracts';
import { createContext, use, type ReactNode } from 'react';

// The context of every page: the viewer and the organisation.

export interface ScopeOrganisation {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly timeZone: string;
}
export interface ScopeValue {
  readonly me: rest.Me;
  /** Null on platform pages about all organisations. */
  readonly organisation: ScopeOrganisation | null;
  /** Whether this is a platform page, below `/admin`. */
  readonly platform: boolean;
  /** The gateway's public address. */
  readonly edgeUrl: string;
  /** The address of a trace, with `{traceId}`; null: none is configured. */
  readonly traceUrl: string | null;
}

const Scope = createContext<ScopeValue | undefined>(undefined);

export function ScopeProvider({ value, children }: { value: ScopeValue; children: ReactNode }) {
  return <Scope value={value}>{children}</Scope>;
}

export function useScope(): ScopeValue {
  const scope = use(Scope);
  if (scope === undefined) throw new Error('a page outside of the console’s layouts has no scope');
  return scope;
}

/** The page's organisation. */
export function useOrganisation(): ScopeOrganisation {
  const { organisation } = useScope();
  if (organisation === null) throw new Error('this page belongs to an organisation');
  return organisation;
}

/** The time zone for instants: the organisation's, or UTC for several organisations. */
export function useTimeZone(): string {
  return useScope().organisation?.timeZone ?? 'UTC';
}

/** Whether the user has a permission for the whole organisation, as administrators do. */
export function useReachesOrganisation(action: rest.Action): boolean {
  return rest.reachesOrganisation(rest.reachOf(useScope().me.role, action));
}

/** Whether the user has a permission. The catalog enforces it; this only hides controls. */
export function useMay(action: rest.Action): boolean {
  return useScope().me.actions.includes(action);
}
