'use client';

import { EXPERIMENT_STATUSES, rest } from '@tollgate/contracts';
import { FlaskConical } from 'lucide-react';
import Link from 'next/link';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import { When } from '../../design/when';
import { showPart } from '../../format/numbers';
import type { ListColumn } from '../../resource/columns-menu';
import { ListPage } from '../../resource/list-page';
import { sourceOf } from '../../resource/source';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { experimentActions, ExperimentWindows, type ExperimentWindow } from './experiment-actions';
import { ExperimentState } from './experiment-state';

/** The organisation's experiments. */
export function Experiments() {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const mayWrite = useMay('experiments.write');
  const columns = useExperimentColumns();
  const [window, setWindow] = useState<ExperimentWindow>();
  return (
    <ListPage
      title="Experiments"
      description="Requests for one name, split between models and compared."
      create={
        mayWrite && { label: 'Create experiment', onSelect: () => setWindow({ open: 'create' }) }
      }
      source={sourceOf(rest.listExperiments, { organisationId })}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      search="Search name or model"
      filters={[
        { name: 'status', label: 'Status', any: 'Active or paused', values: EXPERIMENT_STATUSES },
      ]}
      actions={
        mayWrite && ((experiment) => experimentActions({ experiment, client, open: setWindow }))
      }
      empty={{
        icon: FlaskConical,
        title: 'No experiments yet',
        text: mayWrite
          ? 'Create an experiment to send a share of the conversations to another model, and to compare cost, latency and errors.'
          : 'An administrator creates experiments.',
      }}
    >
      <ExperimentWindows window={window} onClose={() => setWindow(undefined)} />
    </ListPage>
  );
}

function useExperimentColumns(): readonly ListColumn<rest.Experiment>[] {
  const scope = useScope();
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.Experiment>[]>(
    () => [
      {
        title: 'Name',
        sort: 'name',
        cell: ({ id, name }) => (
          <Link
            href={pageOf(scope, `experiments/${id}`)}
            className="break-words text-accent underline-offset-4 hover:underline"
          >
            {name}
          </Link>
        ),
      },
      { title: 'Requests for', cell: ({ model }) => <span className="break-words">{model}</span> },
      {
        title: 'Arms',
        from: 'sm',
        cell: ({ arms }) =>
          arms.map(({ name, share }) => `${name} ${showPart(share / 100)}`).join(', '),
      },
      { title: 'State', cell: (experiment) => <ExperimentState experiment={experiment} /> },
      {
        title: 'Created',
        sort: 'createdAt',
        from: 'md',
        align: 'right',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
      },
    ],
    [scope, timeZone],
  );
}
