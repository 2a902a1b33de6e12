'use client';

import { rest } from '@tollgate/contracts';
import { Download, Send } from 'lucide-react';
import { useState } from 'react';

import { Button, LinkButton } from '../../design/button';
import { Empty } from '../../design/empty';
import { useListQuery } from '../../design/use-list-query';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { pageOf } from '../../shell/paths';
import { useOrganisation, useScope } from '../../shell/scope';
import { ExportWindow } from './export-window';
import { useRecordColumns } from './record-columns';
import { recordsInput } from './state';
import type { Usage } from './use-usage';

const STATUSES = [
  '200',
  '400',
  '401',
  '402',
  '403',
  '404',
  '408',
  '413',
  '422',
  '429',
  '499',
  '500',
  '502',
  '503',
  '504',
];

/** The list of requests, newest first. */
export function Requests({ usage }: { usage: Usage }) {
  const { id: organisationId } = useOrganisation();
  const columns = useRecordColumns('full');
  const list = useListQuery();
  const [exporting, setExporting] = useState(false);
  const fixed = recordsInput(usage.state);
  return (
    <>
      <ResourceList
        title="Requests"
        source={sourceOf(rest.listUsageRecords, { organisationId })}
        fixed={fixed}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ id }) => `request ${id}`}
        filters={[
          {
            name: 'httpStatus',
            label: 'HTTP status',
            any: 'Any HTTP status',
            values: STATUSES,
            wordOf: (status) => status,
          },
        ]}
        tools={
          <Button onClick={() => setExporting(true)}>
            <Download aria-hidden />
            Export
          </Button>
        }
        empty={<NoRequests usage={usage} />}
      />
      {exporting && (
        <ExportWindow usage={usage} get={list.get} onClose={() => setExporting(false)} />
      )}
    </>
  );
}

function NoRequests({ usage: { state, hrefOf } }: { usage: Usage }) {
  const scope = useScope();
  const filtered = Object.keys(state.filters).length > 0;
  return (
    <Empty
      icon={Send}
      title={filtered ? 'No matches' : 'No requests in this period'}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <LinkButton href={hrefOf({ range: '12m', from: undefined, to: undefined })}>
            Show 12 months
          </LinkButton>
          {!filtered && (
            <LinkButton look="primary" href={pageOf(scope, 'apikeys')}>
              Open API keys
            </LinkButton>
          )}
        </div>
      }
    >
      {filtered
        ? 'Change the filters above, or choose a longer period.'
        : 'Create an API key and send a request. It appears here once it is booked.'}
    </Empty>
  );
}
