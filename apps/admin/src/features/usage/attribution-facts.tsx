'use client';

import type { rest } from '@tollgate/contracts';
import Link from 'next/link';

import type { Fact } from '../../design/facts';
import { shownName } from './group-name';
import { usageHref } from './usage-href';

type Attributed = Pick<
  rest.UsageRecord,
  'endUser' | 'session' | 'agentId' | 'parentAgentId' | 'agentClass' | 'agentType' | 'experimentArm'
>;

/** Whom a request was for, as far as it says so. Each name leads to its requests. */
export function attributionFacts(
  scope: Parameters<typeof usageHref>[0],
  record: Attributed,
): Fact[] {
  const linked = (name: string, filter: 'endUser' | 'session' | 'agentClass'): Fact[] => {
    const value = record[filter];
    if (value === null) return [];
    const href = usageHref(scope, { tab: 'requests', [filter]: value });
    return [
      {
        name,
        value: (
          <Link href={href} className="break-all text-accent underline-offset-4 hover:underline">
            {shownName(value)}
          </Link>
        ),
      },
    ];
  };
  const plain = (name: string, value: string | null): Fact[] =>
    value === null ? [] : [{ name, value: <span className="break-all">{value}</span> }];
  return [
    ...linked('End user', 'endUser'),
    ...linked('Session', 'session'),
    ...linked('Agent class', 'agentClass'),
    ...plain('Agent type', record.agentType),
    ...plain('Agent', record.agentId),
    ...plain('Started by agent', record.parentAgentId),
    ...plain('Arm of an experiment', record.experimentArm),
  ];
}
