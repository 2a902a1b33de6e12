import type { rest } from '@tollgate/contracts';

import { Badge } from '../../design/badge';
import { Table, type Column } from '../../design/table';
import { When } from '../../design/when';
import { showCount } from '../../format/numbers';
import { useOrganisation } from '../../shell/scope';
import { placeOf } from './price-list';
import { NoPrice, PriceLine } from './price-view';

type Row = rest.PriceImported['rows'][number];

/** The maximum number of rows shown. */
const SHOWN = 200;

/** Preview of the import; unchanged prices come last. */
export function PriceListDiff({ rows }: { rows: readonly Row[] }) {
  const { timeZone } = useOrganisation();
  const sorted = [
    ...rows.filter(({ action }) => action === 'ADD'),
    ...rows.filter(({ action }) => action !== 'ADD'),
  ];
  if (rows.length === 0) return <p className="text-ink-soft">There are no prices to compare.</p>;
  return (
    <div className="overflow-hidden rounded-md border">
      <Table
        caption="What the import changes"
        columns={diffColumns(timeZone)}
        rows={sorted.slice(0, SHOWN)}
        keyOf={({ modelId, effectiveFrom }) => `${modelId} ${effectiveFrom}`}
      />
      <More all={rows.length} />
    </div>
  );
}

function diffColumns(timeZone: string): readonly Column<Row>[] {
  return [
    { title: 'Model', cell: ({ model }) => <span className="break-all">{model}</span> },
    {
      title: 'Change',
      cell: ({ action }) =>
        action === 'ADD' ? <Badge tone="accent">add</Badge> : <Badge>unchanged</Badge>,
    },
    {
      title: 'From',
      from: 'sm',
      cell: ({ effectiveFrom }) => <When instant={effectiveFrom} timeZone={timeZone} />,
    },
    {
      title: 'Before',
      from: 'sm',
      cell: ({ before }) => (before === null ? <NoPrice /> : <PriceLine price={before} />),
    },
    { title: 'After', cell: ({ after }) => <PriceLine price={after} /> },
  ];
}

/** The errors of the file by line. */
export function PriceListFaults({ faults }: { faults: readonly rest.PriceImportFault[] }) {
  return (
    <div className="overflow-hidden rounded-md border">
      <ul role="alert" className="divide-y">
        {faults.slice(0, SHOWN).map((fault, index) => (
          // Two errors can have identical texts.
          <li key={index} className="flex flex-wrap gap-x-3 px-3 py-2">
            <span className="font-mono text-sm whitespace-nowrap text-ink-soft">
              {placeOf(fault)}
            </span>
            <span className="min-w-0 flex-1 break-words text-bad">{fault.message}</span>
          </li>
        ))}
      </ul>
      <More all={faults.length} />
    </div>
  );
}

function More({ all }: { all: number }) {
  if (all <= SHOWN) return null;
  return (
    <p className="border-t px-3 py-2 text-sm text-ink-faint">and {showCount(all - SHOWN)} more</p>
  );
}
