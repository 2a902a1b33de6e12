import type { rest } from '@tollgate/contracts';
import { Card } from '../../design/card';
import { showUsd, usdAsNumber } from '../../format/money';
import { plural } from '../../format/numbers';

const SHOWN = 6;

/** Which models the money went to. */
export function ByModel({ rows }: { rows: rest.UsageRollup['data'] }) {
  const sorted = rows.toSorted((a, b) => usdAsNumber(b.costUsd) - usdAsNumber(a.costUsd));
  const largest = Math.max(0, ...rows.map(({ costUsd }) => usdAsNumber(costUsd)));
  return (
    <Card title="By model" hint={sorted.length > SHOWN ? `the ${SHOWN} dearest` : undefined}>
      {sorted.length === 0 ? (
        <p className="text-ink-soft">No model has been used in this time.</p>
      ) : (
        <ul className="flex flex-col gap-3">
          {sorted.slice(0, SHOWN).map(({ group, costUsd, requests }) => (
            <li key={group?.id ?? 'none'}>
              <div className="flex items-baseline justify-between gap-3">
                <span className="truncate font-medium">{group?.name ?? 'Deleted model'}</span>
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
