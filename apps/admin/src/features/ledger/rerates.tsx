'use client';

import { rest } from '@tollgate/contracts';
import { Calculator, Eye } from 'lucide-react';
import { useMemo, useState } from 'react';

import { Badge, type Tone } from '../../design/badge';
import { Button } from '../../design/button';
import { Empty } from '../../design/empty';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import { showCount } from '../../format/numbers';
import { showTime } from '../../format/time';
import { sentence } from '../../format/words';
import type { ListColumn } from '../../resource/columns-menu';
import { Window } from '../../resource/form-dialog';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { useMay, useOrganisation } from '../../shell/scope';
import { Rerating } from '../models/rerating';
import { ScopeName } from '../pickers/scope-name';
import { RerateForm } from './rerate-form';

const TONES: Readonly<Record<rest.Rerate['status'], Tone>> = {
  PENDING: 'accent',
  RUNNING: 'accent',
  DONE: 'good',
  FAILED: 'bad',
};

type RerateWindow =
  { readonly open: 'create' } | { readonly open: 'look'; readonly rerate: rest.Rerate };

/** Periods whose requests were re-rated with a corrected price. */
export function Rerates() {
  const { id: organisationId } = useOrganisation();
  const mayWrite = useMay('platform.usage.correct');
  const columns = useRerateColumns();
  const [window, setWindow] = useState<RerateWindow>();
  const close = (): void => setWindow(undefined);
  const create = mayWrite && (
    <Button look="primary" onClick={() => setWindow({ open: 'create' })}>
      <Calculator aria-hidden />
      Re-rate a period
    </Button>
  );
  return (
    <>
      <ResourceList
        title="Re-ratings"
        source={sourceOf(rest.listRerates, { organisationId })}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ reason }) => `re-rating: ${reason}`}
        filters={[
          { name: 'status', label: 'Status', any: 'Any status', values: rest.RERATE_STATUSES },
        ]}
        actions={(rerate) => [
          {
            label: 'Show progress',
            icon: Eye,
            onSelect: () => setWindow({ open: 'look', rerate }),
          },
        ]}
        tools={create}
        empty={
          <Empty icon={Calculator} title="No re-ratings yet" action={create}>
            Correct a wrong price on its model’s page. The re-rating of its requests is then listed
            here.
          </Empty>
        }
      />
      {window?.open === 'create' && (
        <RerateForm onStarted={(rerate) => setWindow({ open: 'look', rerate })} onClose={close} />
      )}
      {window?.open === 'look' && (
        <Window title="Re-rating" description={window.rerate.reason} wide onClose={close}>
          <Rerating
            made={window.rerate}
            onBack={() => setWindow({ open: 'create' })}
            onClose={close}
          />
        </Window>
      )}
    </>
  );
}

function useRerateColumns(): readonly ListColumn<rest.Rerate>[] {
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.Rerate>[]>(
    () => [
      {
        title: 'Period',
        cell: ({ from, to, reason }) => (
          <>
            {showTime(from, 'date', timeZone)} – {showTime(to, 'date', timeZone)}
            <span className="block text-sm font-normal wrap-anywhere text-ink-soft">{reason}</span>
          </>
        ),
      },
      {
        title: 'Model',
        from: 'md',
        cell: ({ modelId }) =>
          modelId === null ? (
            <span className="text-ink-soft">all corrected prices</span>
          ) : (
            <ScopeName scope={{ type: 'MODEL', id: modelId }} />
          ),
      },
      {
        title: 'Status',
        cell: ({ status, dryRun }) => (
          <span className="inline-flex flex-wrap gap-1.5">
            <Badge tone={TONES[status]}>{sentence(status)}</Badge>
            {dryRun && <Badge>count only</Badge>}
          </span>
        ),
      },
      {
        title: 'Changed',
        align: 'right',
        from: 'sm',
        cell: ({ changed, records }) => `${showCount(changed)} of ${showCount(records)}`,
      },
      { title: 'Difference', align: 'right', cell: ({ differenceUsd }) => showUsd(differenceUsd) },
      {
        title: 'Begun',
        sort: 'createdAt',
        align: 'right',
        from: 'lg',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} format="moment" />,
      },
    ],
    [timeZone],
  );
}
