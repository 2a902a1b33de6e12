'use client';

import { rest } from '@tollgate/contracts';
import { KeyRound, Unlink } from 'lucide-react';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';

import { useRead, useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Empty } from '../../design/empty';
import { Facts } from '../../design/facts';
import { Table, type Column } from '../../design/table';
import { When } from '../../design/when';
import { plural } from '../../format/numbers';
import { waitWords } from '../../format/wait-words';
import { DetailPage } from '../../resource/detail-page';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { SwitchStatus } from '../../resource/switch-status';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { useKeyColumns } from '../api-keys/columns';
import { UpstreamState } from '../upstreams/upstream-state';
import { SavedCard } from '../usage/saved-card';
import { useModelName } from './candidates-field';
import { draftOf } from './draft';
import { RoutingSwitch } from './policies';
import { policyActions, PolicyWindows, type PolicyWindow } from './policy-actions';
import { Explanation } from './policy-form';
import { STRATEGY_WORDS, TRIGGER_WORDS } from './words';

/** A routing policy with its candidates and keys. */
export function Policy({ policyId }: { policyId: string }) {
  const scope = useScope();
  const router = useRouter();
  const client = useRest();
  const { id: organisationId } = useOrganisation();
  const read = useRead(rest.getRoutingPolicy, {
    params: { organisationId, routingPolicyId: policyId },
  });
  const mayWrite = useMay('routing-policies.write');
  const [window, setWindow] = useState<PolicyWindow>();
  const policy = read.data;
  const actions =
    policy === undefined || !mayWrite
      ? []
      : policyActions({
          policy,
          client,
          open: setWindow,
          onDeleted: () => router.push(pageOf(scope, 'routing')),
        });
  return (
    <DetailPage
      noun="Routing policy"
      read={read}
      title={({ name }) => name}
      description={({ strategy }) => `Routing policy · ${STRATEGY_WORDS[strategy].label}`}
      actions={actions}
      buttons={2}
      windows={<PolicyWindows window={window} onClose={() => setWindow(undefined)} />}
    >
      {(data) => (
        <>
          <RoutingSwitch />
          <Explanation draft={draftOf(data)} />
          <About policy={data} />
          <SavedCard of={{ routingPolicyId: data.id }} />
          <Candidates policy={data} />
          <KeysOfPolicy
            policy={data}
            onAssign={() => setWindow({ open: 'assign', policy: data })}
          />
        </>
      )}
    </DetailPage>
  );
}

function About({ policy }: { policy: rest.RoutingPolicy }) {
  const { timeZone } = useOrganisation();
  const { status, strategy, failoverTriggers, retries, hedgeAfterMs, createdAt } = policy;
  const triggers = failoverTriggers.map((trigger) => TRIGGER_WORDS[trigger].label.toLowerCase());
  return (
    <Card title="About">
      <Facts
        facts={[
          { name: 'Status', value: <SwitchStatus status={status} /> },
          { name: 'Strategy', value: STRATEGY_WORDS[strategy].label },
          {
            name: 'Failover when',
            value: triggers.length === 0 ? 'never' : triggers.join(', '),
          },
          { name: 'Timeouts', value: waitsOf(policy) },
          {
            name: 'Hedging',
            value: hedgeAfterMs === null ? 'never' : `after ${waitWords(hedgeAfterMs)}`,
          },
          { name: 'Retries of the same candidate', value: String(retries) },
          { name: 'Created', value: <When instant={createdAt} timeZone={timeZone} /> },
          { name: 'Id', value: <code className="font-mono text-sm">{policy.id}</code> },
        ]}
      />
    </Card>
  );
}

function waitsOf({ timeouts, totalTimeoutMs }: rest.RoutingPolicy): string {
  const parts = [
    [timeouts.connectMs, 'connect'],
    [timeouts.firstTokenMs, 'first token'],
    [timeouts.idleMs, 'idle'],
    [timeouts.attemptMs, 'per attempt'],
    [totalTimeoutMs, 'for all attempts'],
  ] as const;
  const words = parts.flatMap(([ms, of]) => (ms === null ? [] : [`${waitWords(ms)} ${of}`]));
  return words.length === 0 ? 'as set on the providers' : words.join(', ');
}

function Candidates({ policy }: { policy: rest.RoutingPolicy }) {
  const columns: Column<rest.RoutingCandidate>[] = [
    { title: 'Model', cell: ({ modelId }) => <ModelLink modelId={modelId} /> },
    ...(policy.strategy === 'weighted'
      ? [
          {
            title: 'Weight',
            align: 'right' as const,
            cell: ({ weight }: rest.RoutingCandidate) => weight,
          },
        ]
      : []),
    ...(policy.strategy === 'priority'
      ? [
          {
            title: 'Priority',
            align: 'right' as const,
            cell: ({ priority }: rest.RoutingCandidate) => priority,
          },
        ]
      : []),
    {
      title: 'Upstream state',
      align: 'right',
      cell: ({ modelId }) => <UpstreamState modelId={modelId} />,
    },
  ];
  return (
    <Card title="Candidates" hint="in order" flush>
      <Table
        caption="Candidates of the policy"
        columns={columns}
        rows={policy.candidates}
        keyOf={({ modelId }) => modelId}
      />
    </Card>
  );
}

function ModelLink({ modelId }: { modelId: string }) {
  const scope = useScope();
  const name = useModelName(modelId);
  return (
    <Link
      href={pageOf(scope, `models/${modelId}`)}
      className="break-words text-accent underline-offset-4 hover:underline"
    >
      {name ?? 'Model'}
    </Link>
  );
}

interface KeysOfPolicyProps {
  readonly policy: rest.RoutingPolicy;
  readonly onAssign: () => void;
}

function KeysOfPolicy({ policy, onAssign }: KeysOfPolicyProps) {
  const client = useRest();
  const columns = useKeyColumns();
  const mayWrite = useMay('routing-policies.write');
  const { organisationId, id: routingPolicyId, name } = policy;
  return (
    <section aria-labelledby="keys" className="flex flex-col gap-3">
      <h2 id="keys" className="font-semibold">
        Keys with this policy
      </h2>
      <ResourceList
        title="Keys with the policy"
        source={sourceOf(rest.listApiKeys, { organisationId })}
        fixed={{ routingPolicyId }}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={(key) => key.name}
        search="Search name or preview"
        bulk={
          mayWrite && [
            {
              label: 'Remove policy',
              icon: Unlink,
              title: (count) => `Remove the policy from ${plural(count, 'key')}?`,
              done: (count) => `Policy removed from ${plural(count, 'key')}.`,
              consequence: 'These keys then use only the model that a request names.',
              applies: () => true,
              run: ({ id: apiKeyId }: rest.ApiKey) =>
                client.call(rest.updateApiKey, {
                  params: { organisationId, apiKeyId },
                  body: { routingPolicyId: null },
                }),
            },
          ]
        }
        empty={
          <Empty
            icon={KeyRound}
            title="No API key uses this policy yet"
            action={mayWrite && <Button onClick={onAssign}>Choose keys</Button>}
          >
            Assign {name} to API keys. Each key uses the candidates that it is granted.
          </Empty>
        }
      />
    </section>
  );
}
