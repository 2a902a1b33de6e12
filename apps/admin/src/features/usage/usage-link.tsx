'use client';

import { ChartNoAxesColumn } from 'lucide-react';
import { LinkButton } from '../../design/button';
import { useMay, useScope } from '../../shell/scope';
import type { FilterName } from './state';
import { usageHref } from './usage-href';

type UsageLinkProps = { readonly of: Readonly<Partial<Record<FilterName, string>>> };

/** From the page of a thing to what was used of it. */
export function UsageLink({ of }: UsageLinkProps) {
  const scope = useScope();
  const maySee = useMay('usage.read');
  // Without an organisation there is no telling whose.
  if (!maySee || scope.organisation === null) return null;
  return (
    <LinkButton href={usageHref(scope, of)}>
      <ChartNoAxesColumn aria-hidden />
      See usage
    </LinkButton>
  );
}
