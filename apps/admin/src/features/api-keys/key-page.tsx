'use client';

import { rest } from '@tollgate/contracts';
import { Send } from 'lucide-react';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { useState } from 'react';

import { useRead } from '../../api/provider';
import { Badge } from '../../design/badge';
import { Card } from '../../design/card';
import { Empty } from '../../design/empty';
import { Facts } from '../../design/facts';
import { When } from '../../design/when';
import { DetailPage } from '../../resource/detail-page';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { SoftLimitPasses } from '../limits/soft-limit-passes';
import { GrantedServers } from '../mcp-servers/granted-servers';
import { PassthroughProviders } from '../passthrough/providers-of-key';
import { OwnerSummary } from '../usage/owner-summary';
import { useRecordColumns } from '../usage/record-columns';
import { UsageLink } from '../usage/usage-link';
import { KeyOwner, KeyStatus } from './columns';
import { keyActions, KeyWindows, type KeyWindow } from './key-actions';
import { LimitsOfKey } from './limits-of-key';
import { ModelsOfKey } from './models-of-key';
import { Refusals } from './refusals';
import { RegionsOfKey } from './regions-of-key';

const TryKey = dynamic(() => import('./try-key').then((module) => module.TryKey), { ssr: false });

/** An API key: grants, refusals, limits and requests. It answers why a request was refused. */
export function KeyPage({ apiKeyId }: { apiKeyId: string }) {
  const { id: organisationId } = useOrganisation();
  const read = useRead(rest.getApiKey, {
    params: { organisationId, apiKeyId },
  });
  const mayWrite = useMay('apikeys.write');
  const mayTry = useMay('apikeys.try');
  const [window, setWindow] = useState<KeyWindow>();
  return (
    <DetailPage
      noun="API key"
      read={read}
      title={({ name }) => name}
      description={({ preview }) => `API key ${preview}`}
      links={<UsageLink of={{ apiKeyId }} />}
      actions={read.data === undefined || !mayWrite ? [] : keyActions(read.data, setWindow)}
      windows={<KeyWindows window={window} onClose={() => setWindow(undefined)} />}
    >
      {(data) => (
        <>
          <About apiKey={data} />
          <OwnerSummary of={{ apiKeyId }} />
          <Refusals
            apiKey={data}
            onEdit={
              mayWrite && data.status !== 'REVOKED'
                ? () => setWindow({ open: 'edit', apiKey: data })
                : undefined
            }
          />
          {mayTry && data.status !== 'REVOKED' && <TryKey apiKey={data} />}
          <LimitsOfKey apiKey={data} />
          <SoftLimitPasses
            of={{ apiKeyId: data.id }}
            noun="a soft limit that applies to this key"
          />
          <Requests apiKeyId={data.id} />
        </>
      )}
    </DetailPage>
  );
}

function About({ apiKey }: { apiKey: rest.ApiKey }) {
  const { timeZone } = useOrganisation();
  const { status, createdAt, expiresAt, revokedAt } = apiKey;
  return (
    <Card title="About">
      <Facts
        facts={[
          { name: 'Status', value: <KeyStatus status={status} /> },
          { name: 'Belongs to', value: <KeyOwner apiKey={apiKey} /> },
          { name: 'Created', value: <When instant={createdAt} timeZone={timeZone} /> },
          { name: 'Expires', value: <When instant={expiresAt} timeZone={timeZone} /> },
          ...(revokedAt === null
            ? []
            : [{ name: 'Revoked', value: <When instant={revokedAt} timeZone={timeZone} /> }]),
          {
            name: 'Models it may use',
            value: <ModelsOfKey apiKey={apiKey} />,
          },
          { name: 'Routing policy', value: <PolicyOfKey policyId={apiKey.routingPolicyId} /> },
          { name: 'Allowed regions', value: <RegionsOfKey apiKey={apiKey} /> },
          { name: 'MCP servers it may use', value: <GrantedServers grants={apiKey.mcpGrants} /> },
          {
            name: 'Passthrough providers',
            value: <PassthroughProviders providerIds={apiKey.passthroughProviderIds} />,
          },
          {
            name: 'Bodies of its requests',
            value: apiKey.keepBodies ? 'As the organisation’s settings say' : 'Not kept',
          },
        ]}
      />
    </Card>
  );
}

function PolicyOfKey({ policyId }: { policyId: string | null }) {
  const scope = useScope();
  const { id: organisationId } = useOrganisation();
  const params = { organisationId, routingPolicyId: policyId ?? '' };
  const { data } = useRead(rest.getRoutingPolicy, { params }, { enabled: policyId !== null });
  const settings = useRead(
    rest.getSettings,
    { params: { organisationId } },
    { enabled: policyId !== null },
  );
  if (policyId === null) {
    return <span className="text-ink-soft">None. Requests use the model they name.</span>;
  }
  const off = settings.data?.routingEnabled === false || data?.status === 'DISABLED';
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Link
        href={pageOf(scope, `routing/${policyId}`)}
        className="break-words text-accent underline-offset-4 hover:underline"
      >
        {data?.name ?? 'Policy'}
      </Link>
      {off && <Badge tone="warn">off</Badge>}
    </span>
  );
}

function Requests({ apiKeyId }: { apiKeyId: string }) {
  const { id: organisationId } = useOrganisation();
  const columns = useRecordColumns();
  return (
    <section aria-labelledby="requests" className="flex flex-col gap-3">
      <h2 id="requests" className="font-semibold">
        Requests with this key
      </h2>
      <ResourceList
        title="Requests of the key"
        source={sourceOf(rest.listUsageRecords, { organisationId })}
        fixed={{ apiKeyId }}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ id }) => `request ${id}`}
        empty={
          <Empty icon={Send} title="No requests yet">
            Send a request with this key. It appears here once it is booked.
          </Empty>
        }
      />
    </section>
  );
}
