import { MOST_REGIONS, REGION_CHARACTERS } from '@tollgate/contracts';

import { TextField } from '../design/text-field';

/** The longest text of regions. */
export const REGIONS_TYPED = MOST_REGIONS * (REGION_CHARACTERS + 2);

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
      hint={`Where requests of ${of} may be processed, for example eu, us-east-1. Providers without a region are not used. Empty: anywhere. At most ${String(MOST_REGIONS)}.`}
      {...field}
      spellCheck={false}
      maxLength={REGIONS_TYPED}
    />
  );
}

/** Allowed regions as a fact. */
export function regionWords(names: readonly string[]): string {
  return names.length === 0 ? 'Any' : names.join(', ');
}
