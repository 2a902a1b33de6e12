'use client';

import { Columns3 } from 'lucide-react';
import { useMemo } from 'react';

import { Button } from '../design/button';
import { CheckItem, Menu } from '../design/menu';
import type { Column } from '../design/table';
import { useStored } from '../design/use-stored';

/** A column that users can show or hide. The first one names the row and stays. */
export type ListColumn<Row> = Column<Row> & {
  /** Hidden by default. */
  readonly hidden?: true;
};

const SEPARATOR = '\n';

interface Chosen<Row> {
  readonly shown: readonly ListColumn<Row>[];
  readonly isShown: (title: string) => boolean;
  readonly toggle: (title: string, on: boolean) => void;
}

/** The visible columns, stored in the browser under the list's name. */
export function useColumns<Row>(list: string, columns: readonly ListColumn<Row>[]): Chosen<Row> {
  const [stored, store] = useStored(`columns:${list}`);
  return useMemo(() => {
    const titles = chosenTitles(columns, stored);
    return {
      shown: columns
        .filter(({ title }) => titles.has(title))
        // A chosen column is shown on every screen size.
        .map((column) => (stored === undefined ? column : everywhere(column))),
      isShown: (title) => titles.has(title),
      toggle: (title, on) => {
        const next = new Set(titles);
        if (on) next.add(title);
        else next.delete(title);
        store([...next].join(SEPARATOR));
      },
    };
  }, [columns, stored, store]);
}

function everywhere<Row>({ from: _from, ...column }: ListColumn<Row>): ListColumn<Row> {
  return column;
}

/** The first column plus the stored ones. Unknown stored columns are ignored. */
export function chosenTitles<Row>(
  columns: readonly ListColumn<Row>[],
  stored: string | undefined,
): ReadonlySet<string> {
  const wanted = stored?.split(SEPARATOR);
  return new Set(
    columns
      .filter(({ title, hidden }, index) => {
        if (index === 0) return true;
        return wanted === undefined ? hidden !== true : wanted.includes(title);
      })
      .map(({ title }) => title),
  );
}

interface ColumnsMenuProps<Row> {
  readonly columns: readonly ListColumn<Row>[];
  readonly chosen: Chosen<Row>;
}

export function ColumnsMenu<Row>({ columns, chosen }: ColumnsMenuProps<Row>) {
  return (
    <Menu
      trigger={
        <Button>
          <Columns3 aria-hidden />
          <span className="max-sm:sr-only">Columns</span>
        </Button>
      }
    >
      {columns.map(({ title }, index) => (
        <CheckItem
          key={title}
          checked={chosen.isShown(title)}
          disabled={index === 0}
          onChange={(on) => chosen.toggle(title, on)}
        >
          {title}
        </CheckItem>
      ))}
    </Menu>
  );
}
