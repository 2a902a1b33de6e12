'use client';

import { clsx } from 'clsx';
import { useId } from 'react';

import { Combobox, type ComboboxProps } from './combobox';

export type { ComboboxItem as PickerItem } from './combobox';

interface PickerProps extends Omit<
  ComboboxProps,
  'label' | 'onChoose' | 'describedBy' | 'autoFocus'
> {
  readonly legend: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly onChange: (chosen: readonly string[]) => void;
}

/** The field of a form that selects one or several entries of a long list. */
export function Picker({ legend, hint, error, onChange, ...combobox }: PickerProps) {
  const { many, chosen } = combobox;
  const errorId = useId();
  const choose = (id: string): void => {
    if (!many) onChange([id]);
    else if (chosen.includes(id)) onChange(chosen.filter((other) => other !== id));
    else onChange([...chosen, id]);
  };
  return (
    <fieldset className="min-w-0" aria-describedby={error === undefined ? undefined : errorId}>
      <legend className="mb-1.5 text-sm font-medium">
        {legend}
        {many && chosen.length > 0 && (
          <span className="font-normal text-ink-faint"> · {chosen.length} chosen</span>
        )}
      </legend>
      <div
        className={clsx(
          'overflow-hidden rounded-md border border-line-strong/60',
          error !== undefined && 'border-bad',
        )}
      >
        <Combobox
          {...combobox}
          label={`Search ${legend.toLowerCase()}`}
          onChoose={choose}
          describedBy={error === undefined ? undefined : errorId}
        />
      </div>
      {error !== undefined && (
        <p id={errorId} role="alert" className="mt-1.5 text-sm text-bad">
          {error}
        </p>
      )}
      {hint !== undefined && <p className="mt-1.5 text-sm text-ink-faint">{hint}</p>}
    </fieldset>
  );
}
