'use client';

import type { rest } from '@tollgate/contracts';
import Link from 'next/link';

import { Card } from '../../design/card';
import { Facts } from '../../design/facts';
import { When } from '../../design/when';
import { showCost } from '../../format/money';
import { showCount, showPart } from '../../format/numbers';
import { useOrganisation, useScope } from '../../shell/scope';
import { usageHref } from '../usage/usage-href';
import { Errors, percentiles } from './figures';

interface ShadowComparisonProps {
  readonly experimentId: string;
  readonly shadow: rest.ShadowComparison;
}

/** What the shadow did, and why requests were not sent to it. */
export function ShadowComparison({ experimentId, shadow }: ShadowComparisonProps) {
  const scope = useScope();
  const { model, samplePercent, dailyUsd, spentTodayUsd, skipped } = shadow;
  const budget =
    dailyUsd === null || spentTodayUsd === null
      ? 'none now'
      : `${showCost(spentTodayUsd)} of ${showCost(dailyUsd)} today`;
  return (
    <Card
      title="Shadow"
      hint="Sampled requests that were sent once more to a second model. Their answers are discarded."
    >
      <Facts
        facts={[
          {
            name: 'Model',
            value:
              samplePercent === null
                ? 'The experiment has no shadow now'
                : `${model ?? 'deleted model'}, ${showPart(samplePercent / 100)} of the requests`,
          },
          { name: 'Budget', value: budget },
          {
            name: 'Requests',
            value: (
              <Link
                href={usageHref(scope, {
                  tab: 'requests',
                  experimentId,
                  experimentArm: shadow.arm,
                })}
                className="text-accent underline underline-offset-4"
              >
                {showCount(shadow.requests)}
              </Link>
            ),
          },
          { name: 'Errors', value: <Errors arm={shadow} /> },
          { name: 'Stopped before their end', value: showCount(shadow.stopped) },
          { name: 'First token, p50 / p95', value: percentiles(shadow.firstTokenMs) },
          { name: 'Latency, p50 / p95', value: percentiles(shadow.latencyMs) },
          {
            name: 'Tokens in / out',
            value: `${showCount(shadow.tokensIn)} / ${showCount(shadow.tokensOut)}`,
          },
          { name: 'Cost', value: showCost(shadow.costUsd) },
          {
            name: 'Cost per request',
            value: shadow.costPerRequestUsd === null ? '—' : showCost(shadow.costPerRequestUsd),
          },
          {
            name: 'Refused or without a place, since the experiment exists',
            value: <Skipped skipped={skipped} />,
          },
        ]}
      />
    </Card>
  );
}

function Skipped({ skipped }: Pick<rest.ShadowComparison, 'skipped'>) {
  const { timeZone } = useOrganisation();
  if (skipped.length === 0) return 'none';
  return (
    <>
      {skipped.map(({ code, requests, lastAt }) => (
        <span key={code} className="block">
          {showCount(requests)} × <code className="font-mono">{code}</code>, last{' '}
          <When instant={lastAt} timeZone={timeZone} />
        </span>
      ))}
    </>
  );
}
