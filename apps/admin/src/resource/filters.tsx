'use client';

import { useCallback, type ReactNode } from 'react';

import { Select } from '../design/field';
import { SearchBox } from '../design/search-box';
import type { useListQuery } from '../design/use-list-query';
import { sentence } from '../format/words';

/** A select for one parameter of the list's query. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  /** The label of the empty choice: "Any status". */
  readonly any: string;
  readonly values: readonly string[];
  readonly wordOf?: (value: string) => string;
}

interface FiltersProps {
  readonly list: ReturnType<typeof useListQuery>;
  /** The label of the search box; undefined: no search. */
  readonly search: string | undefined;
  readonly filters: readonly Filter[];
  readonly children: ReactNode;
}

export function Filters({ list, search, filters, children }: FiltersProps) {
  const { get, set } = list;
  const setSearch = useCallback((value: string | undefined) => set('search', value), [set]);
  return (
    <search className="flex flex-wrap gap-2 border-b p-3">
      {search !== undefined && (
        <SearchBox label={search} value={get('search')} onChange={setSearch} />
      )}
      {filters.map((filter) => (
        <div key={filter.name} className="max-sm:min-w-32 max-sm:flex-1 sm:max-w-56">
          <Select
            aria-label={filter.label}
            value={get(filter.name) ?? ''}
            onChange={(event) => set(filter.name, event.target.value)}
          >
            <option value="">{filter.any}</option>
            {filter.values.map((value) => (
              <option key={value} value={value}>
                {(filter.wordOf ?? sentence)(value)}
              </option>
            ))}
          </Select>
        </div>
      ))}
      <div className="ml-auto flex min-w-0 flex-wrap gap-2">{children}</div>
    </search>
  );
}
