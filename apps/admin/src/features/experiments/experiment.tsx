'use client';

import { rest } from '@tollgate/contracts';
import { useRouter } from 'next/navigation';
import { useState } from 'react';

import { useRead, useRest } from '../../api/provider';
import { Card } from '../../design/card';
import { Facts } from '../../design/facts';
import { When } from '../../design/when';
import { DetailPage } from '../../resource/detail-page';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { Comparison } from './comparison';
import { experimentActions, ExperimentWindows, type ExperimentWindow } from './experiment-actions';
import { ExperimentState } from './experiment-state';

/** An experiment and the comparison of its arms. */
export function Experiment({ experimentId }: { readonly experimentId: string }) {
  const scope = useScope();
  const router = useRouter();
  const client = useRest();
  const { id: organisationId } = useOrganisation();
  const read = useRead(rest.getExperiment, { params: { organisationId, experimentId } });
  const mayWrite = useMay('experiments.write');
  const [window, setWindow] = useState<ExperimentWindow>();
  const experiment = read.data;
  const actions =
    experiment === undefined || !mayWrite
      ? []
      : experimentActions({
          experiment,
          client,
          open: setWindow,
          onDeleted: () => router.push(pageOf(scope, 'experiments')),
        });
  return (
    <DetailPage
      noun="Experiment"
      read={read}
      title={({ name }) => name}
      description={({ model }) => `Experiment · requests for ${model}`}
      actions={actions}
      buttons={1}
      windows={<ExperimentWindows window={window} onClose={() => setWindow(undefined)} />}
    >
      {(data) => (
        <>
          <Comparison experimentId={data.id} />
          <About experiment={data} />
        </>
      )}
    </DetailPage>
  );
}

function About({ experiment }: { readonly experiment: rest.Experiment }) {
  const { timeZone } = useOrganisation();
  const { model, startsAt, endsAt, createdAt, id } = experiment;
  return (
    <Card title="About">
      <Facts
        facts={[
          { name: 'State', value: <ExperimentState experiment={experiment} /> },
          { name: 'Requests for', value: model },
          {
            name: 'Starts',
            value: <When instant={startsAt} timeZone={timeZone} never="when created" />,
          },
          { name: 'Ends', value: <When instant={endsAt} timeZone={timeZone} never="never" /> },
          { name: 'Created', value: <When instant={createdAt} timeZone={timeZone} /> },
          { name: 'Id', value: <code className="font-mono text-sm">{id}</code> },
        ]}
      />
    </Card>
  );
}
