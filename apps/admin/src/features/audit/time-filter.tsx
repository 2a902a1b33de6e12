'use client';

import { useState } from 'react';

import { TextInput } from '../../design/field';
import type { useListQuery } from '../../design/use-list-query';
import { instantIn, localIn } from '../models/zoned';

interface TimeFilterProps {
  readonly list: ReturnType<typeof useListQuery>;
  readonly timeZone: string;
}

const DAY_MS = 86_400_000;
/** Longer than any day and shorter than two: always within the next day. */
const INSIDE_NEXT_MS = 1.5 * DAY_MS;

/** From day to day, inclusive, in the organisation's time zone. The URL keeps instants. */
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

/**
 * The local day of an instant, or of the millisecond before it; undefined for an invalid instant.
 */
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

interface DayProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (day: string) => void;
}

/** Keeps incomplete input here. Only a complete date goes into the URL. */
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

/** A partly typed year is a year long ago, which the catalog rejects. */
function isDay(day: string): boolean {
  return day >= '1970-01-02' && day < '9998';
}
