'use client';

import { rest } from '@tollgate/contracts';
import { KeyRound, ListChecks, Send } from 'lucide-react';

import { useRead } from '../../api/provider';
import { LinkButton } from '../../design/button';
import { CodeBlock } from '../../design/code-block';
import { Empty } from '../../design/empty';
import { TableCard } from '../../resource/table-card';
import { paths } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { firstRequest } from '../first-request';
import { useRecordColumns } from '../usage/record-columns';
import { LATEST_QUERY } from './queries';

const REFRESH_MS = 15_000;

/** The last requests that were booked; new ones come by themselves. */
export function LatestRequests() {
  const organisation = useOrganisation();
  const columns = useRecordColumns();
  const read = useRead(
    rest.listUsageRecords,
    { params: { organisationId: organisation.id }, query: LATEST_QUERY },
    { refreshMs: REFRESH_MS },
  );
  return (
    <TableCard
      title="Latest requests"
      read={read}
      loading="Loading requests"
      caption="Latest requests"
      columns={columns}
      keyOf={({ id }) => id}
      empty={<FirstRequest />}
    />
  );
}

function FirstRequest() {
  const { edgeUrl } = useScope();
  const { slug } = useOrganisation();
  const maySetUp = useMay('providers.write');
  const command = firstRequest(edgeUrl, '<API key>', '<model>');
  return (
    <Empty
      icon={Send}
      title="No requests yet"
      action={
        <LinkButton href={paths.organisation(slug, maySetUp ? 'setup' : 'apikeys')}>
          {maySetUp ? <ListChecks aria-hidden /> : <KeyRound aria-hidden />}
          {maySetUp ? 'Open the set-up guide' : 'Open API keys'}
        </LinkButton>
      }
    >
      <p className="mb-3">
        Create an API key, then send a first request. It appears here once it is booked.
      </p>
      <div className="text-left">
        <CodeBlock label="A first request with curl" text={command} />
      </div>
    </Empty>
  );
}
