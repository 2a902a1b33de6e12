import type { rest } from '@tollgate/contracts';
import Link from 'next/link';

import { Card } from '../../design/card';
import { showUsd, usdAsNumber } from '../../format/money';
import { plural } from '../../format/numbers';

type Group = rest.UsageExploration['groups'][number];

interface ByGroupProps {
  readonly title: string;
  readonly exploration: rest.UsageExploration;
  readonly nameOf: (group: Group['group']) => string;
  /** The group's page; undefined when there is none. */
  readonly hrefOf: (id: string) => string | undefined;
  /** Shown when there are no groups. */
  readonly nothing: string;
}

/** The groups with the highest cost. */
export function ByGroup({ title, exploration, nameOf, hrefOf, nothing }: ByGroupProps) {
  const { groups, groupCount } = exploration;
  const largest = Math.max(0, ...groups.map(({ totals }) => usdAsNumber(totals.costUsd)));
  return (
    <Card
      title={title}
      hint={groupCount > groups.length ? `the ${String(groups.length)} most expensive` : undefined}
    >
      {groups.length === 0 ? (
        <p className="text-ink-soft">{nothing}</p>
      ) : (
        <ul className="flex flex-col gap-3">
          {groups.map(({ group, totals: { costUsd, requests } }) => (
            <li key={group.id ?? 'none'}>
              <div className="flex items-baseline justify-between gap-3">
                <Name
                  name={nameOf(group)}
                  href={group.id === null ? undefined : hrefOf(group.id)}
                />
                <span className="tabular-nums">{showUsd(costUsd)}</span>
              </div>
              <div className="mt-1 flex items-center gap-3">
                <span className="h-1.5 flex-1 overflow-hidden rounded-full bg-sunken" aria-hidden>
                  <span
                    className="block h-full rounded-full bg-accent"
                    style={{
                      width: `${largest > 0 ? (usdAsNumber(costUsd) / largest) * 100 : 0}%`,
                    }}
                  />
                </span>
                <span className="w-28 text-right text-sm text-ink-faint tabular-nums">
                  {plural(requests, 'request')}
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Name({ name, href }: { name: string; href: string | undefined }) {
  if (href === undefined) return <span className="truncate font-medium">{name}</span>;
  return (
    <Link
      href={href}
      className="truncate font-medium text-accent underline-offset-4 hover:underline"
    >
      {name}
    </Link>
  );
}
