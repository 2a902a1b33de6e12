'use client';

import type { ReactNode } from 'react';

import { Card } from '../design/card';
import { Failure } from '../design/failure';
import { SkeletonRows } from '../design/skeleton';
import { Table, type Column } from '../design/table';

interface TableCardProps<Row> {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly action?: ReactNode;
  /** The rows as `useRead` returns them. */
  readonly read: {
    readonly data: { readonly data: readonly Row[] } | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  /** For screen readers, while there are no rows yet: "Loading requests". */
  readonly loading: string;
  /** For screen readers: what the rows are. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Shown in place of the table when there are no rows. */
  readonly empty: ReactNode;
}

/** A titled table that is part of a page, with its loading, empty and error states. */
export function TableCard<Row>(props: TableCardProps<Row>) {
  const { title, hint, action, read, loading, caption, columns, keyOf, empty } = props;
  const { data, error, refetch } = read;
  return (
    <Card title={title} hint={hint} action={action} flush>
      {error !== null && (
        <div className="p-4">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {error === null && data === undefined && <SkeletonRows label={loading} />}
      {data?.data.length === 0 && empty}
      {data !== undefined && data.data.length > 0 && (
        <Table caption={caption} columns={columns} rows={data.data} keyOf={keyOf} />
      )}
    </Card>
  );
}
