import { clsx } from 'clsx';
import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'right';
  /** Hidden on screens below this width. */
  readonly from?: 'sm' | 'md' | 'lg' | 'xl';
  /** Shows the title to screen readers only. */
  readonly titleHidden?: boolean;
  /** The server's sort key of this column. */
  readonly sort?: string;
}

const FROM = {
  sm: 'hidden sm:table-cell',
  md: 'hidden md:table-cell',
  lg: 'hidden lg:table-cell',
  xl: 'hidden xl:table-cell',
};

/** The space beside the table's edge, of a column that is the last one below this width. */
const LAST_BELOW = {
  sm: 'pr-4 sm:pr-2',
  md: 'pr-4 md:pr-2',
  lg: 'pr-4 lg:pr-2',
  xl: 'pr-4 xl:pr-2',
};
const WIDTHS = ['sm', 'md', 'lg', 'xl'] as const;

/** The current sort (`-name` is descending) and how to change it. */
export interface Sorting {
  readonly by: string | undefined;
  readonly onSort: (by: string) => void;
}

/** The selected rows, for bulk actions. */
export interface Selection<Row> {
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
  /** The row's accessible name. */
  readonly nameOf: (row: Row) => string;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Dims the rows while new ones load. */
  readonly stale?: boolean;
  readonly sorting?: Sorting;
  readonly selection?: Selection<Row> | undefined;
}

/** The first column is the row's header. */
export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, keyOf, stale = false, sorting, selection } = props;
  return (
    // Positioned, so that screen-reader texts scroll with the table.
    <div className="relative overflow-x-auto" tabIndex={-1}>
      <table className={clsx('w-full text-left', stale && 'opacity-60')} aria-busy={stale}>
        <caption className="sr-only">{caption}</caption>
        <thead className="bg-sunken/60 text-xs text-ink-soft">
          <tr>
            {selection !== undefined && (
              <th scope="col" className="w-8 pl-4">
                <AllRows keys={rows.map(keyOf)} selection={selection} />
              </th>
            )}
            {columns.map((column, index) => (
              <ColumnTitle
                key={column.title}
                column={column}
                className={cellClass(columns, index)}
                sorting={sorting}
              />
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {rows.map((row) => (
            <tr key={keyOf(row)} className="hover:bg-hover/50">
              {selection !== undefined && (
                <td className="w-8 pl-4">
                  <OneRow row={row} name={keyOf(row)} selection={selection} />
                </td>
              )}
              {columns.map((column, index) => {
                const content = column.cell(row);
                const className = clsx('h-11 py-1.5', cellClass(columns, index));
                return index === 0 ? (
                  <th key={column.title} scope="row" className={clsx(className, 'font-medium')}>
                    {content}
                  </th>
                ) : (
                  <td key={column.title} className={className}>
                    {content}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ColumnTitleProps<Row> {
  readonly column: Column<Row>;
  readonly className: string;
  readonly sorting: Sorting | undefined;
}

/** A sortable title is a button. A second press reverses the order. */
function ColumnTitle<Row>({ column, className: own, sorting }: ColumnTitleProps<Row>) {
  const { title, titleHidden = false, sort } = column;
  const className = clsx('h-8', own);
  if (sorting === undefined || sort === undefined) {
    return (
      <th scope="col" className={className}>
        <span className={clsx('font-medium', titleHidden && 'sr-only')}>{title}</span>
      </th>
    );
  }
  const ascends = sorting.by === sort;
  const descends = sorting.by === `-${sort}`;
  return (
    <th
      scope="col"
      className={className}
      aria-sort={ascends ? 'ascending' : descends ? 'descending' : 'none'}
    >
      <button
        type="button"
        onClick={() => sorting.onSort(ascends ? `-${sort}` : sort)}
        className="inline-flex items-center gap-1 rounded-sm font-medium hover:text-ink"
      >
        {title}
        {ascends && <ArrowUp className="size-3.5" aria-hidden />}
        {descends && <ArrowDown className="size-3.5" aria-hidden />}
      </button>
    </th>
  );
}

const BOX = 'block size-4 accent-accent';

function AllRows<Row>({ keys, selection }: { keys: readonly string[]; selection: Selection<Row> }) {
  const { chosen, onChange } = selection;
  const all = keys.length > 0 && keys.every((key) => chosen.has(key));
  const some = keys.some((key) => chosen.has(key));
  return (
    <input
      type="checkbox"
      aria-label="Select all rows on this page"
      className={BOX}
      checked={all}
      ref={(box) => {
        if (box !== null) box.indeterminate = some && !all;
      }}
      onChange={() => onChange(new Set(all ? [] : keys))}
    />
  );
}

interface OneRowProps<Row> {
  readonly row: Row;
  readonly name: string;
  readonly selection: Selection<Row>;
}

function OneRow<Row>({ row, name, selection }: OneRowProps<Row>) {
  const { chosen, onChange, nameOf } = selection;
  return (
    <input
      type="checkbox"
      aria-label={`Select ${nameOf(row)}`}
      className={BOX}
      checked={chosen.has(name)}
      onChange={(event) => {
        const next = new Set(chosen);
        if (event.target.checked) next.add(name);
        else next.delete(name);
        onChange(next);
      }}
    />
  );
}

function cellClass<Row>(columns: readonly Column<Row>[], index: number): string {
  const { align, from } = columns[index] ?? {};
  return clsx(
    'px-2 first:pl-4',
    edgeClass(columns.slice(index + 1)),
    // Separates a right-aligned column from a left-aligned one.
    columns[index - 1]?.align === 'right' && align === undefined && 'pl-6',
    align === 'right' && 'text-right tabular-nums',
    from !== undefined && FROM[from],
  );
}

/** A column is the last one as long as all columns after it are hidden. */
function edgeClass<Row>(after: readonly Column<Row>[]): string {
  if (after.length === 0) return 'pr-4';
  if (after.some(({ from }) => from === undefined)) return '';
  const first = WIDTHS.find((width) => after.some(({ from }) => from === width));
  return first === undefined ? '' : LAST_BELOW[first];
}
