'use client';

import { TextField } from '../../design/text-field';
import { useOrganisation } from '../../shell/scope';
import { instantIn, localIn } from './zoned';

interface InstantFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  /** An instant; empty: none. */
  readonly value: string;
  readonly onChange: (instant: string) => void;
}

/** An instant, shown and typed in the organisation's time zone. */
export function InstantField({ value, hint, onChange, ...field }: InstantFieldProps) {
  const { timeZone } = useOrganisation();
  return (
    <TextField
      {...field}
      optional
      hint={hint === undefined ? `In ${timeZone}.` : `In ${timeZone}. ${hint}`}
      type="datetime-local"
      step="any"
      value={value === '' ? '' : localIn(value, timeZone)}
      // A field of this type gives a whole time or nothing.
      onChange={(local) => onChange(local === '' ? '' : instantIn(local, timeZone))}
    />
  );
}
