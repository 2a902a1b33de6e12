import { clsx } from 'clsx';
import type { ReactNode } from 'react';

export type Column<Row> = {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'right';
  /** Left out where there is no room for it. */
  readonly from?: 'sm' | 'md' | 'lg';
  /** The title is for screen readers only. */
  readonly titleHidden?: boolean;
};

const FROM = { sm: 'hidden sm:table-cell', md: 'hidden md:table-cell', lg: 'hidden lg:table-cell' };

type TableProps<Row> = {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** While other rows are on their way these are dimmed. */
  readonly stale?: boolean;
};

/** The first column is the row's header. */
export function Table<Row>({ caption, columns, rows, keyOf, stale = false }: TableProps<Row>) {
  return (
    <div className="overflow-x-auto" tabIndex={-1}>
      <table className={clsx('w-full text-left', stale && 'opacity-60')} aria-busy={stale}>
        <caption className="sr-only">{caption}</caption>
        <thead className="bg-sunken/60 text-xs text-ink-soft">
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" className={clsx('h-8', cellClass(column))}>
                <span className={clsx('font-medium', column.titleHidden === true && 'sr-only')}>
                  {column.title}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {rows.map((row) => (
            <tr key={keyOf(row)} className="hover:bg-hover/50">
              {columns.map((column, index) => {
                const content = column.cell(row);
                const className = clsx('h-11 py-1.5', cellClass(column));
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

function cellClass<Row>({ align, from }: Column<Row>): string {
  return clsx(
    'px-2 first:pl-4 last:pr-4',
    align === 'right' && 'text-right tabular-nums',
    from !== undefined && FROM[from],
  );
}
