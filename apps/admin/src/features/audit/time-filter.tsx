'use client';

import { useState } from 'react';
import { TextInput } from '../../design/field';
import type { useListQuery } from '../../design/use-list-query';
import { instantIn, localIn } from '../models/zoned';

type TimeFilterProps = {
  readonly list: ReturnType<typeof useListQuery>;
  readonly timeZone: string;
};

const DAY_MS = 86_400_000;
/** More than any day's hours, less than two days: inside the day after. */
const INSIDE_NEXT_MS = 1.5 * DAY_MS;

/** From a day to a day, both included, as the organisation's zone has them; kept as instants. */
export function TimeFilter({ list: { get, set }, timeZone }: TimeFilterProps) {
  const [from, to] = [get('from'), get('to')];
  return (
    <>
      <Day
        label="From"
        value={from === undefined ? '' : dayOf(from, timeZone, 0)}
        onChange={(day) =>
          set('from', day === '' ? undefined : instantIn(`${day}T00:00`, timeZone))
        }
      />
      <Day
        label="to"
        value={to === undefined ? '' : dayOf(to, timeZone, -1)}
        onChange={(day) => set('to', day === '' ? undefined : endOf(day, timeZone))}
      />
    </>
  );
}

/** The day of an instant, or of the millisecond before it; nothing for what is no instant. */
function dayOf(instant: string, timeZone: string, addMs: number): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return '';
  return localIn(new Date(ms + addMs).toISOString(), timeZone).slice(0, 10);
}

function endOf(day: string, timeZone: string): string {
  const startMs = Date.parse(instantIn(`${day}T00:00`, timeZone));
  const next = localIn(new Date(startMs + INSIDE_NEXT_MS).toISOString(), timeZone).slice(0, 10);
  return instantIn(`${next}T00:00`, timeZone);
}

type DayProps = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (day: string) => void;
};

/** What is typed is kept here until it is a whole day, which only then goes into the address. */
function Day({ label, value, onChange }: DayProps) {
  const [typed, setTyped] = useState({ value, text: value });
  const text = typed.value === value ? typed.text : value;
  return (
    <label className="flex items-center gap-1.5 text-sm text-ink-soft">
      {label}
      <span className="w-36">
        <TextInput
          type="date"
          value={text}
          onChange={({ target: { value: day } }) => {
            setTyped({ value, text: day });
            if (day === '' || isDay(day)) onChange(day);
          }}
        />
      </span>
    </label>
  );
}

/** While a year is being typed it is one of long ago, which the catalog knows nothing of. */
function isDay(day: string): boolean {
  return day >= '1970-01-02' && day < '9998';
}
