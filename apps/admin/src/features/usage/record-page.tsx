'use client';

import { PASSTHROUGH_OPERATION, rest } from '@tollgate/contracts';
import Link from 'next/link';
import type { ReactNode } from 'react';

import { useRead } from '../../api/provider';
import { shown } from '../../api/rest-client';
import { LinkButton } from '../../design/button';
import { Card } from '../../design/card';
import { CopyButton } from '../../design/copy-button';
import { Facts, type Fact } from '../../design/facts';
import { Failure } from '../../design/failure';
import { Page } from '../../design/page';
import { SkeletonRows } from '../../design/skeleton';
import { showCount, showDuration } from '../../format/numbers';
import { showTime } from '../../format/time';
import { sentence } from '../../format/words';
import { pageOf } from '../../shell/paths';
import { useOrganisation, useScope } from '../../shell/scope';
import { DecisionCard } from '../decisions/decision-card';
import { ProviderLink } from '../models/provider-link';
import { ScopeName } from '../pickers/scope-name';
import { attributionFacts } from './attribution-facts';
import { BodiesCard } from './bodies-card';
import { CostCard } from './cost-card';
import { placeWords } from './group-name';
import { McpDetails } from './mcp-details';
import { NotBooked } from './not-booked';
import { RecordResult, targetOf } from './record-columns';
import { Attempts, Corrections } from './record-parts';
import { responseCacheFacts } from './response-cache-facts';
import { usageHref } from './usage-href';

interface RecordProps {
  readonly record: rest.UsageRecordDetail;
}

/** A booked request: outcome, attempts, cost and ids. */
export function RecordPage({ requestId }: { requestId: string }) {
  const { id: organisationId, timeZone } = useOrganisation();
  const scope = useScope();
  const { data, error, refetch } = useRead(rest.getUsageRecord, {
    params: { organisationId, requestId },
  });
  const back = <LinkButton href={usageHref(scope, { tab: 'requests' })}>All requests</LinkButton>;
  return (
    <Page
      title="Request"
      description={
        data === undefined
          ? requestId
          : `${targetOf(data)}, ${showTime(data.authorisedAt, 'moment', timeZone)} (${timeZone})`
      }
      actions={back}
    >
      {error !== null && shown(error).status === 404 && (
        <NotBooked requestId={requestId} action={back} />
      )}
      {error !== null && shown(error).status !== 404 && (
        <Failure error={error} onRetry={() => void refetch()} />
      )}
      {error === null && data === undefined && <SkeletonRows label="Loading the request" />}
      {data !== undefined && (
        <>
          <Outcome record={data} />
          {data.mcp === null ? <Attempts record={data} /> : <McpDetails requestId={data.id} />}
          <CostCard record={data} />
          <DecisionCard requestId={data.id} />
          <Corrections record={data} />
          <BodiesCard record={data} />
          <Ids record={data} />
        </>
      )}
    </Page>
  );
}

function Outcome({ record }: RecordProps) {
  const scope = useScope();
  const { errorCode, teamId, userId, mcp } = record;
  return (
    <Card title="Outcome">
      <Facts
        facts={[
          { name: 'Result', value: <RecordResult record={record} /> },
          { name: 'HTTP status', value: record.httpStatus },
          ...(errorCode === null
            ? []
            : [
                {
                  name: 'Error code',
                  value: (
                    <Link
                      href={usageHref(scope, { tab: 'requests', errorCode })}
                      className="font-mono text-sm text-accent underline-offset-4 hover:underline"
                    >
                      {errorCode}
                    </Link>
                  ),
                },
              ]),
          ...(mcp === null ? [{ name: 'Stop reason', value: record.stopReason ?? '—' }] : []),
          ...(record.screening === null ? [] : [{ name: 'Screening', value: record.screening }]),
          {
            name: 'Regions',
            value: placeWords(record.regions),
          },
          ...(record.tags === null ? [] : [{ name: 'Tags', value: <Tags tags={record.tags} /> }]),
          ...attributionFacts(scope, record),
          ...(record.serviceTier === null ? [] : [{ name: 'Tier', value: record.serviceTier }]),
          ...responseCacheFacts(record),
          ...bytesFacts(record),
          { name: 'Latency', value: showDuration(record.latencyMs) },
          { name: 'Upstream time', value: showDuration(record.upstreamMs) },
          ...(mcp === null
            ? [
                {
                  name: 'First token',
                  value: record.firstTokenMs === null ? '—' : showDuration(record.firstTokenMs),
                },
                { name: 'Streamed', value: record.stream ? 'yes' : 'no' },
              ]
            : []),
          { name: 'Operation', value: sentence(record.operation) },
          { name: 'Route', value: <code className="font-mono text-sm">{record.route}</code> },
          ...(record.requestedModel === null
            ? []
            : [{ name: 'Asked for', value: record.requestedModel }]),
          targetFact(record),
          ...chargedFacts(record),
          ...(teamId === null
            ? []
            : [{ name: 'Team', value: <ScopeName scope={{ type: 'TEAM', id: teamId }} bare /> }]),
          ...(userId === null
            ? []
            : [{ name: 'User', value: <ScopeName scope={{ type: 'USER', id: userId }} bare /> }]),
        ]}
      />
    </Card>
  );
}

/** Each leads to the requests that have it. */
function Tags({ tags }: { readonly tags: string }) {
  const scope = useScope();
  return (
    <span className="flex flex-wrap gap-x-3">
      {tags.split(', ').map((tag) => (
        <Link
          key={tag}
          href={usageHref(scope, { tab: 'requests', tag })}
          className="font-mono text-sm text-accent underline-offset-4 hover:underline"
        >
          {tag}
        </Link>
      ))}
    </span>
  );
}

/** The model, the MCP server or the provider of a passthrough request, with its page. */
function targetFact(record: rest.UsageRecordDetail): Fact {
  const { modelId, model, mcp, operation, providerId } = record;
  if (operation === PASSTHROUGH_OPERATION && providerId !== null) {
    return { name: 'Provider', value: <ProviderLink providerId={providerId} /> };
  }
  if (mcp !== null) {
    return {
      name: 'MCP server',
      value: <To page={`mcp-servers/${mcp.serverId}`}>{mcp.server}</To>,
    };
  }
  return {
    name: 'Model',
    value: modelId === null ? model : <To page={`models/${modelId}`}>{model}</To>,
  };
}

/** Of a passthrough request. */
function bytesFacts({ requestBytes, responseBytes }: rest.UsageRecordDetail): Fact[] {
  if (requestBytes === null && responseBytes === null) return [];
  return [
    { name: 'Bytes sent', value: showCount(requestBytes ?? 0) },
    { name: 'Bytes received', value: showCount(responseBytes ?? 0) },
  ];
}

function To({ page, children }: { page: string; children: ReactNode }) {
  const scope = useScope();
  return (
    <Link href={pageOf(scope, page)} className="text-accent underline-offset-4 hover:underline">
      {children}
    </Link>
  );
}

/** The ids that support teams ask for. */
function Ids({ record }: RecordProps) {
  const { timeZone } = useOrganisation();
  const { traceUrl } = useScope();
  const ids: readonly [name: string, id: string | null][] = [
    ['Request id', record.id],
    ['Client’s id', record.clientRequestId],
    ['Trace', record.traceId],
    ['Upstream’s id', record.upstreamRequestId],
  ];
  return (
    <Card title="Ids and times">
      <dl className="flex flex-col gap-3">
        {ids.map(([name, id]) =>
          id === null || id === '' ? null : (
            <div key={name} className="flex flex-wrap items-center gap-x-4 gap-y-1">
              <dt className="w-28 text-sm text-ink-soft">{name}</dt>
              <dd className="flex min-w-0 flex-wrap items-center gap-2">
                <code className="font-mono text-sm break-all">{id}</code>
                <CopyButton text={id} label={`Copy ${name.toLowerCase()}`} />
                {name === 'Trace' && traceUrl !== null && (
                  <a
                    href={traceUrl.replaceAll('{traceId}', id)}
                    target="_blank"
                    rel="noreferrer"
                    className="text-accent underline-offset-4 hover:underline"
                  >
                    Open the trace
                  </a>
                )}
              </dd>
            </div>
          ),
        )}
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          <dt className="w-28 text-sm text-ink-soft">Authorised</dt>
          <dd>
            <time dateTime={record.authorisedAt}>
              {showTime(record.authorisedAt, 'moment', timeZone)}
            </time>
          </dd>
        </div>
        <div className="flex flex-wrap gap-x-4 gap-y-1">
          <dt className="w-28 text-sm text-ink-soft">Booked</dt>
          <dd>
            <time dateTime={record.closedAt}>{showTime(record.closedAt, 'moment', timeZone)}</time>
          </dd>
        </div>
      </dl>
    </Card>
  );
}

/** A shadow is charged to its experiment, in the place of a key. */
function chargedFacts({ apiKeyId, experimentId, shadowOf }: rest.UsageRecord): Fact[] {
  if (shadowOf === null) {
    const name = <ScopeName scope={{ type: 'API_KEY', id: apiKeyId }} bare />;
    return [{ name: 'API key', value: <To page={`apikeys/${apiKeyId}`}>{name}</To> }];
  }
  return [
    { name: 'Shadow of', value: <To page={`usage/${shadowOf}`}>{shadowOf}</To> },
    {
      name: 'Charged to',
      value: <To page={`experiments/${experimentId ?? apiKeyId}`}>the budget of the shadow</To>,
    },
  ];
}
