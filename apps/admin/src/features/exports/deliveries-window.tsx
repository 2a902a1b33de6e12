'use client';

import type { rest } from '@tollgate/contracts';

import { Badge } from '../../design/badge';
import { DialogBody } from '../../design/dialog';
import { Facts, type Fact } from '../../design/facts';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { Table, type Column } from '../../design/table';
import { When } from '../../design/when';
import { showCount } from '../../format/numbers';
import { Window } from '../../resource/form-dialog';
import { useRows } from '../../resource/source';
import { useTimeZone } from '../../shell/scope';
import type { Destinations } from './use-destinations';
import { RECORD_WORDS } from './words';

const SHOWN = 20;

interface DeliveriesWindowProps {
  readonly destination: rest.ExportDestination;
  readonly destinations: Destinations;
  readonly onClose: () => void;
}

/** How deliveries to a destination go: what waits, the last error, the last batches. */
export function DeliveriesWindow(props: DeliveriesWindowProps) {
  const { destination, destinations, onClose } = props;
  const { name, id } = destination;
  const timeZone = useTimeZone();
  const { data, error, refetch } = useRows(destinations.deliveriesOf(id), { limit: SHOWN });
  return (
    <Window
      title={`Deliveries to ${name}`}
      description={`The last ${String(SHOWN)} batches, newest first.`}
      wide="double"
      onClose={onClose}
    >
      <DialogBody>
        <Facts facts={factsOf(destination, timeZone)} />
        {destination.delivery.lastError !== null && destination.delivery.failures > 0 && (
          <p className="text-bad">{destination.delivery.lastError}</p>
        )}
        {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
        {error === null && data === undefined && <SkeletonRows label="Loading deliveries" />}
        {data !== undefined && data.data.length === 0 && (
          <p className="text-ink-soft">Nothing has been delivered yet.</p>
        )}
        {data !== undefined && data.data.length > 0 && (
          <Table
            caption="Deliveries"
            columns={columnsOf(timeZone)}
            rows={data.data}
            keyOf={(batch) => batch.id}
          />
        )}
      </DialogBody>
    </Window>
  );
}

function factsOf({ delivery }: rest.ExportDestination, timeZone: string): readonly Fact[] {
  const { waitingRows, waitingSince, removedRows, deliveredRows } = delivery;
  const when = (instant: string | null) => (
    <When instant={instant} timeZone={timeZone} format="moment" />
  );
  return [
    { name: 'Rows delivered', value: showCount(deliveredRows) },
    { name: 'Last delivery', value: when(delivery.lastDeliveredAt) },
    { name: 'Rows that wait', value: showCount(waitingRows) },
    ...(waitingSince === null ? [] : [{ name: 'Oldest of them', value: when(waitingSince) }]),
    ...(delivery.failingSince === null
      ? []
      : [{ name: 'Failing since', value: when(delivery.failingSince) }]),
    ...(delivery.nextAttemptAt === null
      ? []
      : [{ name: 'Next attempt', value: when(delivery.nextAttemptAt) }]),
    ...(removedRows === 0
      ? []
      : [
          {
            name: 'Removed by retention before they were delivered',
            value: <span className="text-bad">{showCount(removedRows)}</span>,
          },
        ]),
  ];
}

const columnsOf = (timeZone: string): readonly Column<rest.ExportBatch>[] => [
  { title: 'Batch', cell: ({ number }) => number },
  { title: 'Kind', cell: ({ record }) => RECORD_WORDS[record].label },
  { title: 'Rows', align: 'right', cell: ({ rows }) => showCount(rows) },
  {
    title: 'State',
    cell: ({ status, attempts, lastError }) =>
      status === 'DELIVERED' ? (
        <Badge tone="good">Delivered</Badge>
      ) : (
        <span title={lastError ?? undefined}>
          <Badge tone={attempts === 0 ? 'neutral' : 'warn'}>Waiting</Badge>
        </span>
      ),
  },
  { title: 'Attempts', from: 'sm', align: 'right', cell: ({ attempts }) => attempts },
  {
    title: 'Delivered',
    from: 'sm',
    align: 'right',
    cell: ({ deliveredAt }) => (
      <When instant={deliveredAt} timeZone={timeZone} format="moment" never="not yet" />
    ),
  },
];
