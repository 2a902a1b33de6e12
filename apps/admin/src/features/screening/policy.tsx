'use client';

import { rest, type ScreeningRule } from '@tollgate/contracts';
import { useRouter } from 'next/navigation';
import { useState } from 'react';

import { useRead, useRest } from '../../api/provider';
import { Card } from '../../design/card';
import { Facts } from '../../design/facts';
import { Table, type Column } from '../../design/table';
import { When } from '../../design/when';
import { DetailPage } from '../../resource/detail-page';
import { SwitchStatus } from '../../resource/switch-status';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { Hits } from './hits';
import { policyActions, PolicyWindows, type PolicyWindow } from './policy-actions';
import { ACTION_WORDS, attachedWords, KIND_WORDS, PLACE_WORDS } from './words';

/** A screening policy with its rules and versions. */
export function ScreeningPolicy({ policyId }: { policyId: string }) {
  const scope = useScope();
  const router = useRouter();
  const client = useRest();
  const { id: organisationId } = useOrganisation();
  const read = useRead(rest.getScreeningPolicy, {
    params: { organisationId, screeningPolicyId: policyId },
  });
  const mayWrite = useMay('screening.write');
  const [window, setWindow] = useState<PolicyWindow>();
  const policy = read.data;
  const actions =
    policy === undefined || !mayWrite
      ? []
      : policyActions({
          policy,
          client,
          open: setWindow,
          onDeleted: () => router.push(pageOf(scope, 'screening')),
        });
  return (
    <DetailPage
      noun="Screening policy"
      read={read}
      title={({ name }) => name}
      description={({ identifier }) => `Screening policy · ${identifier}`}
      actions={actions}
      buttons={1}
      windows={<PolicyWindows window={window} onClose={() => setWindow(undefined)} />}
    >
      {(data) => (
        <>
          <About policy={data} />
          <Hits policy={data} />
          <Rules rules={data.rules} />
          <Versions policy={data} />
        </>
      )}
    </DetailPage>
  );
}

function About({ policy }: { policy: rest.ScreeningPolicy }) {
  const { timeZone } = useOrganisation();
  const { attachedTo, createdAt, id, status, updatedAt, version } = policy;
  return (
    <Card title="About">
      <Facts
        facts={[
          { name: 'Status', value: <SwitchStatus status={status} /> },
          { name: 'Applies to', value: attachedWords(attachedTo) },
          { name: 'Version of the rules', value: String(version) },
          { name: 'Changed', value: <When instant={updatedAt} timeZone={timeZone} /> },
          { name: 'Created', value: <When instant={createdAt} timeZone={timeZone} /> },
          { name: 'Id', value: <code className="font-mono text-sm">{id}</code> },
        ]}
      />
    </Card>
  );
}

const COLUMNS: readonly Column<ScreeningRule>[] = [
  { title: 'Rule', cell: ({ id }) => <code className="font-mono text-sm">{id}</code> },
  { title: 'Finds', cell: ({ kind }) => KIND_WORDS[kind].label },
  {
    title: 'Looks at',
    cell: ({ where }) => where.map((place) => PLACE_WORDS[place]).join(', '),
  },
  { title: 'On a hit', align: 'right', cell: ({ action }) => ACTION_WORDS[action].label },
];

function Rules({ rules }: { rules: readonly ScreeningRule[] }) {
  return (
    <Card title="Rules" hint="all of them run" flush>
      <Table
        caption="Rules of the policy"
        columns={[...COLUMNS]}
        rows={[...rules]}
        keyOf={({ id }) => id}
      />
    </Card>
  );
}

/** As many as one page of the list has. */
const SHOWN = 20;

function Versions({ policy }: { policy: rest.ScreeningPolicy }) {
  const { timeZone } = useOrganisation();
  const { id: screeningPolicyId, organisationId } = policy;
  const { data } = useRead(rest.listScreeningPolicyVersions, {
    params: { organisationId, screeningPolicyId },
    query: { limit: SHOWN },
  });
  const columns: Column<rest.ScreeningPolicyVersion>[] = [
    { title: 'Version', cell: ({ version }) => String(version) },
    { title: 'Rules', cell: ({ rules }) => rules.map(({ id }) => id).join(', ') || 'none' },
    {
      title: 'Saved',
      align: 'right',
      cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
    },
  ];
  if (data === undefined) return null;
  return (
    <Card title="Versions" hint="records name the version" flush>
      <Table
        caption="Versions of the rules"
        columns={columns}
        rows={data.data}
        keyOf={({ version }) => String(version)}
      />
    </Card>
  );
}
