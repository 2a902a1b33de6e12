'use client';

import Link from 'next/link';
import type { ReactNode } from 'react';

import { pageOf, withQuery } from '../../shell/paths';
import { useScope } from '../../shell/scope';
import { limitPage } from './limit-words';

interface LimitLinkProps {
  readonly limit: Parameters<typeof limitPage>[0];
  readonly children: ReactNode;
}

/** Leads to the list that holds the limit, filtered by its scope. */
export function LimitLink({ limit, children }: LimitLinkProps) {
  const scope = useScope();
  const { path, query } = limitPage(limit);
  return (
    <Link
      href={withQuery(pageOf(scope, path), query)}
      className="text-accent underline-offset-4 hover:underline"
    >
      {children}
    </Link>
  );
}
