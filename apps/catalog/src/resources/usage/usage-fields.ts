import {
  formatUsd,
  USAGE_FIELD_LIST,
  type ShownUsageFields,
  type StoredUsageFields,
  type UsageField,
  type UsageFieldGroup,
  type UsageFieldKind,
  type UsageFieldKinds,
} from '@tollgate/contracts';

import type { CsvCell } from '../../rest/csv';

// The plain fields of a usage record in answers and in CSV.

/** How a kind of field is shown. */
interface ShownKind<Stored, Shown> {
  show(stored: Stored): Shown;
  cell(stored: Stored): CsvCell;
}

const asItIs = {
  show: <Value>(value: Value): Value => value,
  cell: (value: CsvCell): CsvCell => value,
};

const KINDS: {
  readonly [Kind in UsageFieldKind]: ShownKind<
    UsageFieldKinds[Kind]['stored'],
    UsageFieldKinds[Kind]['shown']
  >;
} = {
  text: asItIs,
  optionalText: asItIs,
  flag: asItIs,
  integer: asItIs,
  optionalInteger: asItIs,
  tokens: { show: Number, cell: Number },
  nanoUsd: { show: formatUsd, cell: (nanoUsd) => ({ amount: formatUsd(nanoUsd) }) },
  optionalNanoUsd: {
    show: (nanoUsd) => (nanoUsd === null ? null : formatUsd(nanoUsd)),
    cell: (nanoUsd) => (nanoUsd === null ? null : { amount: formatUsd(nanoUsd) }),
  },
  optionalId: asItIs,
};

interface ShownField extends UsageField {
  readonly as: ShownKind<unknown, unknown>;
}
const FIELDS: readonly ShownField[] = USAGE_FIELD_LIST.map((field) => ({
  ...field,
  as: KINDS[field.kind],
}));

/** The fields of a group as the REST API shows them. */
export function showUsageFields<Group extends UsageFieldGroup>(
  group: Group,
  row: StoredUsageFields,
): ShownUsageFields<Group> {
  const shown: Record<string, unknown> = {};
  for (const field of FIELDS) {
    if (field.group === group) shown[field.shown] = field.as.show(row[field.name]);
  }
  return shown as ShownUsageFields<Group>;
}

/** The CSV columns of a group, named as in the REST API. */
export function usageFieldCells(
  group: UsageFieldGroup,
): (readonly [name: string, cell: (row: StoredUsageFields) => CsvCell])[] {
  return FIELDS.filter((field) => field.group === group).map(
    ({ as, name, shown }) => [shown, (row) => as.cell(row[name])] as const,
  );
}
