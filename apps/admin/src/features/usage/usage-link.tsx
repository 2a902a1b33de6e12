'use client';

import { ChartNoAxesColumn } from 'lucide-react';

import { LinkButton } from '../../design/button';
import { useMay, useScope } from '../../shell/scope';
import type { FilterName } from './state';
import { usageHref } from './usage-href';

interface UsageLinkProps {
  readonly of: Readonly<Partial<Record<FilterName, string>>>;
}

/** Links from a resource's page to its usage. */
export function UsageLink({ of }: UsageLinkProps) {
  const scope = useScope();
  const maySee = useMay('usage.read');
  // Without an organisation the usage page cannot filter.
  if (!maySee || scope.organisation === null) return null;
  return (
    <LinkButton href={usageHref(scope, of)}>
      <ChartNoAxesColumn aria-hidden />
      See usage
    </LinkButton>
  );
}
