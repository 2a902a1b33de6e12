import { MOST_REGIONS } from '@tollgate/contracts';

import { TextField } from '../design/text-field';

interface RegionsFieldProps {
  /** Whose requests the field is about, as "the team's keys". */
  readonly of: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly disabled?: boolean;
  readonly onChange: (value: string) => void;
}

/** Allowed regions as text. */
export function RegionsField({ of, ...field }: RegionsFieldProps) {
  return (
    <TextField
      label="Allowed regions"
      optional
      hint={`Where requests of ${of} may be processed, as eu, us-east-1. Providers without a region are outside. Empty: anywhere. At most ${String(MOST_REGIONS)}.`}
      {...field}
      spellCheck={false}
      maxLength={700}
    />
  );
}

/** Allowed regions as a fact. */
export function regionWords(names: readonly string[]): string {
  return names.length === 0 ? 'Any' : names.join(', ');
}
