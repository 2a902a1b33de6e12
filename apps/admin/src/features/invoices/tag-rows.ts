import type { rest } from '@tollgate/contracts';

// The rows of an invoice by tag. Pure.

export interface TagRow {
  readonly id: string;
  readonly name: string;
  readonly requests: number;
  readonly amountUsd: string;
}

/** All sums that add up to the invoice. Of those that are no value, only the ones that have something. */
export function tagRows({
  data,
  other,
  unattributed,
  untagged,
  valueCount,
}: rest.InvoiceTags): readonly TagRow[] {
  const others: readonly TagRow[] = [
    { id: 'other', name: `${String(valueCount - data.length)} other values`, ...other },
    { id: 'untagged', name: 'Without this tag', ...untagged },
    { id: 'unattributed', name: 'Without stored records', ...unattributed },
  ];
  return [
    ...data.map(({ value, ...sums }) => ({ id: `value ${value}`, name: value, ...sums })),
    ...others.filter(({ amountUsd, requests }) => requests !== 0 || Number(amountUsd) !== 0),
  ];
}
