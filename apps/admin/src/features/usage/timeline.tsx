'use client';

import type { rest } from '@tollgate/contracts';

import { showDuration } from '../../format/numbers';
import { placed } from './timeline-bars';

/** When each attempt ran, and when its first token came. The table beside it has the figures. */
export function Timeline({ record }: { record: rest.UsageRecordDetail }) {
  const { bars, totalMs } = placed(record);
  if (bars.length === 0) return null;
  return (
    <figure className="border-b px-4 py-3">
      <figcaption className="mb-2 flex justify-between text-xs text-ink-faint">
        <span>Start of the request</span>
        <span>{showDuration(totalMs)}</span>
      </figcaption>
      <ol className="flex flex-col gap-1.5">
        {bars.map(({ attempt, firstToken, from, ok, startMs, width }, index) => (
          <li
            key={index}
            className="relative h-4 rounded-sm bg-sunken"
            aria-label={`Attempt ${String(index + 1)}: began after ${showDuration(startMs)}, took ${showDuration(attempt.latencyMs)}`}
          >
            <span
              aria-hidden
              className={`absolute inset-y-0 rounded-sm ${ok ? 'bg-good' : 'bg-bad'}`}
              style={{ left: `${String(from)}%`, width: `max(2px, ${String(width)}%)` }}
            />
            {firstToken !== undefined && (
              <span
                aria-hidden
                title={`First token after ${showDuration(attempt.firstTokenMs)}`}
                className="absolute inset-y-0 w-0.5 bg-ink"
                style={{ left: `${String(firstToken)}%` }}
              />
            )}
          </li>
        ))}
      </ol>
    </figure>
  );
}
