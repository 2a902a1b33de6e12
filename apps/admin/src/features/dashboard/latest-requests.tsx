'use client';

import { rest, type Outcome } from '@tollgate/contracts';
import { KeyRound, Send } from 'lucide-react';
import { useRead } from '../../api/provider';
import { Badge, type Tone } from '../../design/badge';
import { LinkButton } from '../../design/button';
import { Card } from '../../design/card';
import { CodeBlock } from '../../design/code-block';
import { Empty } from '../../design/empty';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { Table, type Column } from '../../design/table';
import { showUsd } from '../../format/money';
import { showDuration, showShort } from '../../format/numbers';
import { showTime } from '../../format/time';
import { paths } from '../../shell/paths';
import { useOrganisation, useScope } from '../../shell/scope';
import { firstRequest } from '../first-request';
import { LATEST_QUERY } from './queries';

const REFRESH_MS = 15_000;

/** The last requests that were booked; new ones come by themselves. */
export function LatestRequests() {
  const organisation = useOrganisation();
  const { data, error, refetch } = useRead(
    rest.listUsageRecords,
    { params: { organisationId: organisation.id }, query: LATEST_QUERY },
    { refreshMs: REFRESH_MS },
  );
  return (
    <Card title="Latest requests" flush>
      {error !== null && (
        <div className="p-4">
          <Failure error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {error === null && data === undefined && <SkeletonRows label="Loading requests" />}
      {data?.data.length === 0 && <FirstRequest />}
      {data !== undefined && data.data.length > 0 && (
        <Table
          caption="Latest requests"
          columns={columns(organisation.timeZone)}
          rows={data.data}
          keyOf={({ id }) => id}
        />
      )}
    </Card>
  );
}

function columns(timeZone: string): Column<rest.UsageRecord>[] {
  return [
    {
      title: 'Time',
      cell: ({ authorisedAt, id }) => (
        <time
          dateTime={authorisedAt}
          title={`Request ${id}`}
          className="font-normal tabular-nums sm:whitespace-nowrap"
        >
          {showTime(authorisedAt, 'moment', timeZone)}
        </time>
      ),
    },
    { title: 'Model', cell: ({ model }) => <span className="break-words">{model}</span> },
    { title: 'Result', cell: (record) => <Result record={record} /> },
    {
      title: 'Tokens in',
      align: 'right',
      from: 'md',
      cell: ({ tokensIn }) => showShort(tokensIn),
    },
    {
      title: 'Tokens out',
      align: 'right',
      from: 'md',
      cell: ({ tokensOut }) => showShort(tokensOut),
    },
    {
      title: 'Latency',
      align: 'right',
      from: 'sm',
      cell: ({ latencyMs }) => showDuration(latencyMs),
    },
    { title: 'Cost', align: 'right', cell: ({ costUsd }) => showUsd(costUsd) },
  ];
}

const RESULTS: Record<Outcome, { tone: Tone; words: string }> = {
  COMPLETED: { tone: 'good', words: 'answered' },
  PARTIAL: { tone: 'warn', words: 'cut short' },
  FAILED: { tone: 'bad', words: 'failed' },
  BUDGET_STOPPED: { tone: 'warn', words: 'budget stop' },
  CLIENT_CLOSED: { tone: 'neutral', words: 'client left' },
};

function Result({ record }: { record: rest.UsageRecord }) {
  const { mode, outcome, errorCode, httpStatus } = record;
  if (mode === 'ABANDONED' || outcome === null) return <Badge tone="warn">abandoned</Badge>;
  const { tone, words } = RESULTS[outcome];
  return (
    <span title={`HTTP ${httpStatus}`}>
      <Badge tone={tone}>{errorCode ?? words}</Badge>
    </span>
  );
}

function FirstRequest() {
  const { edgeUrl } = useScope();
  const { slug } = useOrganisation();
  const command = firstRequest(edgeUrl, '<API key>', '<model>');
  return (
    <Empty
      icon={Send}
      title="No requests yet"
      action={
        <LinkButton href={paths.organisation(slug, 'apikeys')}>
          <KeyRound aria-hidden />
          Go to API keys
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
