'use client';

import type { rest } from '@tollgate/contracts';
import { createContext, use, type ReactNode } from 'react';

// What every page below a layout knows: who looks, and at which organisation.

export type ScopeOrganisation = {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly timeZone: string;
};
export type ScopeValue = {
  readonly me: rest.Me;
  /** Null in the platform's pages that are about all of them. */
  readonly organisation: ScopeOrganisation | null;
  /** Whether this is one of the platform's pages, below `/admin`. */
  readonly platform: boolean;
  /** The gateway's address for its users. */
  readonly edgeUrl: string;
};

const Scope = createContext<ScopeValue | undefined>(undefined);

export function ScopeProvider({ value, children }: { value: ScopeValue; children: ReactNode }) {
  return <Scope value={value}>{children}</Scope>;
}

export function useScope(): ScopeValue {
  const scope = use(Scope);
  if (scope === undefined) throw new Error('a page outside of the console’s layouts has no scope');
  return scope;
}

/** The organisation of an organisation's page. */
export function useOrganisation(): ScopeOrganisation {
  const { organisation } = useScope();
  if (organisation === null) throw new Error('this page belongs to an organisation');
  return organisation;
}

/** The zone that instants are shown in: the organisation's; UTC where several are looked at. */
export function useTimeZone(): string {
  return useScope().organisation?.timeZone ?? 'UTC';
}

/** Whether the user may do this. The catalog decides; this only spares a refusal. */
export function useMay(action: rest.Action): boolean {
  return useScope().me.actions.includes(action);
}
