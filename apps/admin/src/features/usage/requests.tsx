'use client';

import { rest } from '@tollgate/contracts';
import { Download, Radio, Send } from 'lucide-react';
import { useState } from 'react';

import { Button, LinkButton } from '../../design/button';
import { Empty } from '../../design/empty';
import { useListQuery } from '../../design/use-list-query';
import type { Filter } from '../../resource/filters';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { pageOf } from '../../shell/paths';
import { useOrganisation, useScope } from '../../shell/scope';
import { ExportWindow } from './export-window';
import { FindRequest } from './find-request';
import { recordsInput } from './list-inputs';
import { LiveRequests } from './live/live-requests';
import { useRecordColumns } from './record-columns';
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

const STATUS_FILTER: Filter = {
  name: 'httpStatus',
  label: 'HTTP status',
  any: 'Any HTTP status',
  values: STATUSES,
  wordOf: (status) => status,
};

/** The list of requests, newest first: by pages, or live. */
export function Requests({ usage }: { usage: Usage }) {
  const { id: organisationId } = useOrganisation();
  const columns = useRecordColumns('full');
  const list = useListQuery();
  const [exporting, setExporting] = useState(false);
  const fixed = recordsInput(usage.state);
  const live = list.get('live') === 'on';
  const tools = (
    <>
      <FindRequest usage={usage} />
      <Button aria-pressed={live} onClick={() => list.set('live', live ? undefined : 'on')}>
        <Radio aria-hidden className={live ? 'text-good' : undefined} />
        Live
      </Button>
      <Button onClick={() => setExporting(true)}>
        <Download aria-hidden />
        Export
      </Button>
    </>
  );
  return (
    <>
      {live ? (
        <LiveRequests usage={usage} filters={[STATUS_FILTER]} tools={tools} />
      ) : (
        <ResourceList
          title="Requests"
          source={sourceOf(rest.listUsageRecords, { organisationId })}
          fixed={fixed}
          columns={columns}
          keyOf={({ id }) => id}
          nameOf={({ id }) => `request ${id}`}
          filters={[STATUS_FILTER]}
          tools={tools}
          empty={<NoRequests usage={usage} />}
        />
      )}
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
