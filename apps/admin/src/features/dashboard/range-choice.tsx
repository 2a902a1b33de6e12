'use client';

import { ChartNoAxesColumn } from 'lucide-react';
import { useRouter } from 'next/navigation';

import { LinkButton } from '../../design/button';
import { Segmented } from '../../design/segmented';
import { useMay, useScope } from '../../shell/scope';
import { RANGES, type Range } from '../usage/range';
import { usageHref } from '../usage/usage-href';

const OPTIONS = Object.entries(RANGES).map(([value, { label }]) => ({
  value: value as Range,
  label,
}));

/** Selects the dashboard's range and links to usage. */
export function RangeChoice({ range }: { range: Range }) {
  const scope = useScope();
  const router = useRouter();
  const maySee = useMay('usage.read');
  return (
    <>
      <Segmented
        label="Time range"
        options={OPTIONS}
        value={range}
        onChange={(chosen) => router.replace(`?range=${chosen}`, { scroll: false })}
      />
      {maySee && (
        <LinkButton href={usageHref(scope, { range })}>
          <ChartNoAxesColumn aria-hidden />
          See usage
        </LinkButton>
      )}
    </>
  );
}
