'use client';

import { clsx } from 'clsx';
import { Check, Search } from 'lucide-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';

import { showCount } from '../format/numbers';
import { TextInput } from './field';
import { isOfBrowser, moved } from './moved';

// A text field that filters a list of choices, after the WAI-ARIA combobox pattern: the focus stays in the field, the list
// is always shown. The owner filters; long lists are searched by the server.

export interface ComboboxItem {
  readonly id: string;
  readonly name: string;
  readonly note?: string;
}

export interface ComboboxProps {
  /** The accessible name of the text field. */
  readonly label: string;
  readonly many: boolean;
  /** Undefined until they are known. */
  readonly items: readonly ComboboxItem[] | undefined;
  readonly chosen: readonly string[];
  readonly onChoose: (id: string) => void;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  /** The items do not match the text yet: Enter waits until they do. */
  readonly reading: boolean;
  /** Shown when there are no choices. */
  readonly nothing: string;
  /** More choices exist than are shown. */
  readonly more: boolean;
  readonly autoFocus?: boolean;
  readonly describedBy?: string | undefined;
}

export function Combobox(props: ComboboxProps) {
  const { label, many, items, chosen, onChoose, search, onSearch, reading, nothing, more } = props;
  const id = useId();
  const [selected, setSelected] = useState<number>();
  const count = items?.length ?? 0;
  const at = reading || selected === undefined || selected >= count ? undefined : selected;

  // Fast typists press Enter before the results are there.
  const entered = useRef(false);
  useEffect(() => {
    if (reading || !entered.current) return;
    entered.current = false;
    const item = items?.[selected ?? 0];
    if (item !== undefined) onChoose(item.id);
  }, [reading, items, selected, onChoose]);

  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || event.shiftKey || isOfBrowser(event)) return;
    if (event.key === 'Enter') {
      // Enter would submit the surrounding form.
      event.preventDefault();
      entered.current = reading && selected !== undefined;
      const item = at === undefined ? undefined : items?.[at];
      if (item !== undefined) onChoose(item.id);
      return;
    }
    if (event.key === 'Escape' && search !== '') {
      entered.current = false;
      onSearch('');
      setSelected(undefined);
      return;
    }
    const next = moved(event.key, at, count);
    if (next === undefined) return;
    event.preventDefault();
    setSelected(next);
  };

  return (
    <>
      <div className="relative border-b">
        <Search className="absolute top-2.5 left-2.5 size-4 text-ink-faint" aria-hidden />
        <TextInput
          role="combobox"
          aria-label={label}
          aria-expanded={count > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={at === undefined ? undefined : `${id}-${String(at)}`}
          aria-describedby={props.describedBy}
          autoComplete="off"
          placeholder="Search"
          autoFocus={props.autoFocus}
          value={search}
          onChange={(event) => {
            entered.current = false;
            onSearch(event.target.value);
            setSelected(event.target.value.trim() === '' ? undefined : 0);
          }}
          onKeyDown={press}
          className="rounded-none border-0 pl-8 focus-visible:-outline-offset-2"
        />
      </div>
      <Options {...props} id={id} at={at} />
      <div className="px-3 pb-2 text-sm text-ink-faint empty:hidden">
        {items === undefined && <p className="pt-2">Loading…</p>}
        {count === 0 && items !== undefined && <p className="pt-2">{nothing}</p>}
        {more && <p className="pt-1">Not all are shown. Search to find more.</p>}
      </div>
      <p role="status" className="sr-only">
        {reading || items === undefined ? 'Searching…' : words(count, many ? chosen.length : 0)}
      </p>
    </>
  );
}

function words(count: number, chosen: number): string {
  const found = count === 1 ? '1 result.' : `${showCount(count)} results.`;
  return chosen === 0 ? found : `${found} ${showCount(chosen)} chosen.`;
}

type OptionsProps = ComboboxProps & { readonly id: string; readonly at: number | undefined };

function Options({ id, at, label, many, items, chosen, onChoose }: OptionsProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.querySelector('[data-at]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <div
      ref={box}
      id={`${id}-list`}
      role="listbox"
      aria-label={label}
      aria-multiselectable={many || undefined}
      className="max-h-44 overflow-y-auto p-1 empty:p-0"
      // A click leaves the focus in the text field.
      onMouseDown={(event) => event.preventDefault()}
    >
      {items?.map(({ id: key, name, note }, index) => {
        const on = chosen.includes(key);
        return (
          <div
            key={key}
            id={`${id}-${String(index)}`}
            role="option"
            aria-selected={on}
            data-at={index === at || undefined}
            onClick={() => onChoose(key)}
            className="flex min-h-8 cursor-pointer items-center gap-2.5 rounded-sm px-2 py-1 hover:bg-hover data-at:bg-accent-soft data-at:outline-2 data-at:-outline-offset-2 data-at:outline-accent"
          >
            <Mark many={many} on={on} />
            <span className="min-w-0 flex-1 truncate">{name}</span>
            {note !== undefined && <span className="truncate text-sm text-ink-soft">{note}</span>}
          </div>
        );
      })}
    </div>
  );
}

/** Looks like a checkbox or a radio button. */
function Mark({ many, on }: { many: boolean; on: boolean }) {
  return (
    <span
      aria-hidden
      className={clsx(
        'grid size-4 shrink-0 place-items-center border',
        many ? 'rounded-sm' : 'rounded-full',
        on ? 'border-accent bg-accent text-on-accent' : 'border-line-strong',
      )}
    >
      {on && <Check className="size-3" strokeWidth={3} />}
    </span>
  );
}
