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
import { Failure } from '../../design/failure';
import { ActionMenu } from '../../design/menu';
import { Page } from '../../design/page';
import { SkeletonRows } from '../../design/skeleton';
import { Table, type Column } from '../../design/table';
import { When } from '../../design/when';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { useKeyColumns } from '../api-keys/columns';
import { waitWords } from '../providers/wait-words';
import { UpstreamState } from '../upstreams/upstream-state';
import { useModelName } from './candidates-field';
import { draftOf } from './draft';
import { PolicyStatus, RoutingSwitch } from './policies';
import { policyActions, PolicyWindows, type PolicyWindow } from './policy-actions';
import { Explanation } from './policy-form';
import { STRATEGY_WORDS, TRIGGER_WORDS } from './words';

/** Of what can be done with it, this many are buttons; the rest is in a menu. */
const BUTTONS = 2;

/** One routing policy: what it does, how its candidates do, and which keys go by it. */
export function Policy({ policyId }: { policyId: string }) {
  const scope = useScope();
  const router = useRouter();
  const client = useRest();
  const { id: organisationId } = useOrganisation();
  const { data, error, refetch } = useRead(rest.getRoutingPolicy, {
    params: { organisationId, routingPolicyId: policyId },
  });
  const mayWrite = useMay('routing-policies.write');
  const [window, setWindow] = useState<PolicyWindow>();
  const actions =
    data === undefined || !mayWrite
      ? []
      : policyActions({
          policy: data,
          client,
          open: setWindow,
          onDeleted: () => router.push(pageOf(scope, 'routing')),
        });
  return (
    <Page
      title={data?.name ?? 'Routing policy'}
      {...(data && { description: `Routing policy · ${STRATEGY_WORDS[data.strategy].label}` })}
      actions={
        <>
          {actions.slice(0, BUTTONS).map((action) => (
            <Button key={action.label} onClick={'onSelect' in action ? action.onSelect : undefined}>
              <action.icon aria-hidden />
              {action.label}
            </Button>
          ))}
          <ActionMenu label="More actions" actions={actions.slice(BUTTONS)} />
        </>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows label="Loading the policy" />}
      {data !== undefined && (
        <>
          <RoutingSwitch />
          <Explanation draft={draftOf(data)} />
          <About policy={data} />
          <Candidates policy={data} />
          <KeysOfPolicy
            policy={data}
            onAssign={() => setWindow({ open: 'assign', policy: data })}
          />
        </>
      )}
      <PolicyWindows window={window} onClose={() => setWindow(undefined)} />
    </Page>
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
          { name: 'Status', value: <PolicyStatus status={status} /> },
          { name: 'Strategy', value: STRATEGY_WORDS[strategy].label },
          {
            name: 'The next one when',
            value: triggers.length === 0 ? 'never' : triggers.join(', '),
          },
          { name: 'Waits', value: waitsOf(policy) },
          {
            name: 'Hedging',
            value: hedgeAfterMs === null ? 'never' : `after ${waitWords(hedgeAfterMs)}`,
          },
          { name: 'Retries of the same one', value: String(retries) },
          { name: 'Created', value: <When instant={createdAt} timeZone={timeZone} /> },
          { name: 'Id', value: <code className="font-mono text-sm">{policy.id}</code> },
        ]}
      />
    </Card>
  );
}

function waitsOf({ timeouts, totalTimeoutMs }: rest.RoutingPolicy): string {
  const parts = [
    [timeouts.connectMs, 'to connect'],
    [timeouts.firstTokenMs, 'to the first token'],
    [timeouts.idleMs, 'between parts'],
    [timeouts.attemptMs, 'for an attempt'],
    [totalTimeoutMs, 'for all attempts'],
  ] as const;
  const words = parts.flatMap(([ms, of]) => (ms === null ? [] : [`${waitWords(ms)} ${of}`]));
  return words.length === 0 ? 'as the providers say' : words.join(', ');
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
      title: 'Upstream now',
      align: 'right',
      cell: ({ modelId }) => <UpstreamState modelId={modelId} />,
    },
  ];
  return (
    <Card title="Candidates" hint="in their order" flush>
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

type KeysOfPolicyProps = {
  readonly policy: rest.RoutingPolicy;
  readonly onAssign: () => void;
};

function KeysOfPolicy({ policy, onAssign }: KeysOfPolicyProps) {
  const client = useRest();
  const columns = useKeyColumns();
  const mayWrite = useMay('routing-policies.write');
  const { organisationId, id: routingPolicyId, name } = policy;
  return (
    <section aria-labelledby="keys" className="flex flex-col gap-3">
      <h2 id="keys" className="font-semibold">
        Keys that go by it
      </h2>
      <ResourceList
        title="Keys that go by the policy"
        source={sourceOf(rest.listApiKeys, { organisationId })}
        fixed={{ routingPolicyId }}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={(key) => key.name}
        search="Search name or preview"
        {...(mayWrite
          ? {
              bulk: [
                {
                  label: 'Take it away',
                  icon: Unlink,
                  consequence: 'They use the model that a request names, alone.',
                  applies: () => true,
                  run: ({ id: apiKeyId }: rest.ApiKey) =>
                    client.call(rest.updateApiKey, {
                      params: { organisationId, apiKeyId },
                      body: { routingPolicyId: null },
                    }),
                },
              ],
            }
          : {})}
        empty={
          <Empty
            icon={KeyRound}
            title="No key goes by it yet"
            action={mayWrite && <Button onClick={onAssign}>Give it to keys</Button>}
          >
            A policy acts for the keys that have it. Each uses those candidates of {name} that it is
            granted.
          </Empty>
        }
      />
    </section>
  );
}
