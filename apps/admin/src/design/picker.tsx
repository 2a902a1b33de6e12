'use client';

import { clsx } from 'clsx';
import { useId } from 'react';

import { SearchInput } from './search-input';

export interface PickerItem {
  readonly id: string;
  readonly name: string;
  readonly note?: string;
}

interface PickerProps {
  readonly legend: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly many: boolean;
  readonly items: readonly PickerItem[] | undefined;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  /** Shown when there are no choices. */
  readonly nothing: string;
  /** More choices exist than are shown. */
  readonly more: boolean;
}

/** Selects one or several entries of a long list that the server searches. */
export function Picker(props: PickerProps) {
  const { legend, hint, error, many, items, chosen, onChange, search, onSearch, nothing, more } =
    props;
  const name = useId();
  const errorId = `${name}-error`;
  const toggle = (id: string, on: boolean): void => {
    if (!many) onChange([id]);
    else onChange(on ? [...chosen, id] : chosen.filter((other) => other !== id));
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
        <SearchInput label={`Search ${legend.toLowerCase()}`} value={search} onChange={onSearch} />
        <div className="max-h-44 overflow-y-auto p-1">
          {items === undefined && <p className="p-2 text-sm text-ink-faint">Loading…</p>}
          {items?.length === 0 && <p className="p-2 text-sm text-ink-faint">{nothing}</p>}
          {items?.map((item) => (
            <Option
              key={item.id}
              item={item}
              group={name}
              many={many}
              on={chosen.includes(item.id)}
              onToggle={(on) => toggle(item.id, on)}
            />
          ))}
          {more && (
            <p className="p-2 text-sm text-ink-faint">Not all are shown. Search to find more.</p>
          )}
        </div>
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

interface OptionProps {
  readonly item: PickerItem;
  readonly group: string;
  readonly many: boolean;
  readonly on: boolean;
  readonly onToggle: (on: boolean) => void;
}

function Option({ item, group, many, on, onToggle }: OptionProps) {
  return (
    <label className="flex min-h-8 cursor-pointer items-center gap-2.5 rounded-sm px-2 py-1 hover:bg-hover">
      <input
        type={many ? 'checkbox' : 'radio'}
        name={group}
        className="size-4 shrink-0 accent-accent"
        checked={on}
        onChange={(event) => onToggle(event.target.checked)}
      />
      <span className="min-w-0 flex-1 truncate">{item.name}</span>
      {item.note !== undefined && (
        <span className="truncate text-sm text-ink-faint">{item.note}</span>
      )}
    </label>
  );
}
