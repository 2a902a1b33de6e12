'use client';

import { useState, type FormEvent } from 'react';

import { Button } from '../../design/button';
import { TextInput } from '../../design/field';
import { Segmented } from '../../design/segmented';
import { localIn } from '../models/zoned';
import { DEFAULT_RANGE, RANGES } from './range';
import type { UsageState } from './state';
import type { Usage } from './use-usage';

const OPTIONS = [
  ...Object.entries(RANGES).map(([value, { label }]) => ({ value, label })),
  { value: 'custom', label: 'Days' },
];

/** Selects a range up to now, or from day to day. */
export function RangeChooser({ usage }: { usage: Usage }) {
  const { state, timeZone, go } = usage;
  const days = daysOf(state, timeZone);
  return (
    <>
      <Segmented
        label="Time"
        options={OPTIONS}
        value={state.range}
        onChange={(range) =>
          go(
            range === 'custom'
              ? { range, ...days }
              : {
                  range: range === DEFAULT_RANGE ? undefined : range,
                  from: undefined,
                  to: undefined,
                  bucket: undefined,
                },
          )
        }
      />
      {state.range === 'custom' && <Days key={`${days.from} ${days.to}`} days={days} go={go} />}
    </>
  );
}

interface DaysProps {
  readonly days: { readonly from: string; readonly to: string };
  readonly go: Usage['go'];
}

function Days({ days, go }: DaysProps) {
  const [{ from, to }, setDays] = useState(days);
  const apply = (event: FormEvent): void => {
    event.preventDefault();
    if (from !== '' && to !== '') go({ range: 'custom', from, to, bucket: undefined });
  };
  return (
    <form onSubmit={apply} className="flex flex-wrap items-center gap-2">
      <div className="w-36">
        <TextInput
          type="date"
          aria-label="First day"
          value={from}
          max="2099-12-31"
          onChange={({ target }) => setDays({ from: target.value, to })}
        />
      </div>
      <span className="text-ink-faint" aria-hidden>
        –
      </span>
      <div className="w-36">
        <TextInput
          type="date"
          aria-label="Last day"
          value={to}
          max="2099-12-31"
          onChange={({ target }) => setDays({ from, to: target.value })}
        />
      </div>
      <Button type="submit">Show</Button>
    </form>
  );
}

/** The first and last day of the period, for the date fields. */
function daysOf({ span }: UsageState, timeZone: string): { from: string; to: string } {
  const day = (ms: number): string => localIn(new Date(ms).toISOString(), timeZone).slice(0, 10);
  return { from: day(span.startMs), to: day(span.endMs - 1) };
}
