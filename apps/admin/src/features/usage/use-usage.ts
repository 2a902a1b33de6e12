'use client';

import { rest } from '@tollgate/contracts';
import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { useMemo } from 'react';
import type { z } from 'zod';

import { useRead } from '../../api/provider';
import { useScope, useTimeZone } from '../../shell/scope';
import { usageState, type UsageState } from './state';

type Changes = Readonly<Record<string, string | undefined>>;

export interface Usage {
  readonly state: UsageState;
  /** Whether the page covers all organisations. */
  readonly wide: boolean;
  readonly timeZone: string;
  /** Changes URL parameters; undefined removes one. Lists return to their first page. */
  readonly go: (changes: Changes) => void;
  /** The same as a new page of the browser's history, so that Back undoes a filter of a chart. */
  readonly open: (changes: Changes) => void;
  readonly hrefOf: (changes: Changes) => string;
}

/** The usage state in the URL, and how to change it. `nowMs` is the server's time. */
export function useUsage(nowMs: number): Usage {
  const { me, organisation } = useScope();
  const timeZone = useTimeZone();
  const router = useRouter();
  const pathname = usePathname();
  const search = useSearchParams();
  const wide = organisation === null;
  return useMemo(() => {
    const get = (name: string): string | undefined => search.get(name) ?? undefined;
    const hrefOf = (changes: Changes): string => {
      const next = new URLSearchParams(search);
      for (const [name, value] of Object.entries({ ...changes, cursor: undefined })) {
        if (value === undefined) next.delete(name);
        else next.set(name, value);
      }
      const text = next.toString();
      return text === '' ? pathname : `${pathname}?${text}`;
    };
    return {
      wide,
      timeZone,
      hrefOf,
      state: usageState(get, { role: me.role, wide, nowMs, timeZone }),
      open: (changes) => router.push(hrefOf(changes), { scroll: false }),
      go: (changes) => router.replace(hrefOf(changes), { scroll: false }),
    };
  }, [me.role, wide, nowMs, timeZone, router, pathname, search]);
}

type Question = z.input<typeof rest.explorePlatformUsage.query>;

/** Reads usage of the current organisation, or of all; undefined skips the query. */
export function useExploration(query: Question | undefined, options: { keep?: boolean } = {}) {
  const { organisation } = useScope();
  const asked = query !== undefined;
  const one = useRead(
    rest.exploreUsage,
    // Grouping by organisation needs all organisations.
    { params: { organisationId: organisation?.id ?? '' }, query: query as OneQuestion },
    { ...options, enabled: asked && organisation !== null },
  );
  const all = useRead(rest.explorePlatformUsage, query === undefined ? {} : { query }, {
    ...options,
    enabled: asked && organisation === null,
  });
  return organisation === null ? all : one;
}

type OneQuestion = z.input<typeof rest.exploreUsage.query>;
