'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRead } from '../../api/provider';
import { Card } from '../../design/card';
import { Failure } from '../../design/failure';
import { Select } from '../../design/field';
import { SkeletonRows } from '../../design/skeleton';
import { Table, type Column } from '../../design/table';
import { showExactUsd } from '../../format/money';
import { showCount } from '../../format/numbers';
import { useMay } from '../../shell/scope';
import { tagRows, type TagRow } from './tag-rows';

const COLUMNS: readonly Column<TagRow>[] = [
  { title: 'Value', cell: ({ name }) => <span className="break-words">{name}</span> },
  { title: 'Requests', align: 'right', from: 'sm', cell: ({ requests }) => showCount(requests) },
  {
    title: 'Amount',
    align: 'right',
    cell: ({ amountUsd }) => <span className="tabular-nums">{showExactUsd(amountUsd)}</span>,
  },
];

/** An invoice by the values of one of the organisation's tags. Nothing without tags. */
export function TagSums({ invoice: { id, organisationId } }: { invoice: rest.Invoice }) {
  const [chosen, setChosen] = useState<string>();
  const settings = useRead(
    rest.getSettings,
    { params: { organisationId } },
    { enabled: useMay('organisation.read') },
  );
  const keys = settings.data?.tagKeys ?? [];
  const key = chosen ?? keys[0];
  const { data, error, refetch } = useRead(
    rest.getInvoiceTags,
    { params: { organisationId, invoiceId: id }, query: { key: key ?? '' } },
    { enabled: key !== undefined },
  );
  if (key === undefined) return null;
  const choice = (
    <Select
      aria-label="Tag"
      value={key}
      onChange={({ target }) => {
        setChosen(target.value);
      }}
    >
      {keys.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </Select>
  );
  const cut = data !== undefined && data.valueCount > data.data.length;
  return (
    <Card
      title="By tag"
      hint={
        cut
          ? `the ${showCount(data.data.length)} largest of ${showCount(data.valueCount)}`
          : undefined
      }
      action={choice}
      flush
    >
      {error !== null && (
        <div className="p-4">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {error === null && data === undefined && <SkeletonRows label="Loading the sums by tag" />}
      {data !== undefined && (
        <Table
          caption={`Sums by the tag ${key}`}
          columns={COLUMNS}
          rows={tagRows(data)}
          keyOf={({ id: of }) => of}
        />
      )}
    </Card>
  );
}
