'use client';

import type { rest } from '@tollgate/contracts';
import { Pencil, Route } from 'lucide-react';
import { useState } from 'react';

import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Empty } from '../../design/empty';
import { Table, type Column } from '../../design/table';
import { showUsd } from '../../format/money';
import { showCount } from '../../format/numbers';
import { useMay } from '../../shell/scope';
import { PassthroughRulesForm } from './rules-form';

/** The endpoints of a provider that keys may call as they are. */
export function RulesOfProvider({ provider }: { provider: rest.Provider }) {
  const mayWrite = useMay('providers.write');
  const [editing, setEditing] = useState(false);
  const { id, passthroughRules: rules } = provider;
  const edit = mayWrite && (
    <Button onClick={() => setEditing(true)}>
      <Pencil aria-hidden />
      Edit rules
    </Button>
  );
  return (
    <Card
      title="Passthrough rules"
      hint="Endpoints that the gateway does not know, called at /v1/passthrough. A key also needs the provider in its passthrough providers."
      action={rules.length > 0 && edit}
      flush
    >
      {rules.length === 0 ? (
        <Empty icon={Route} title="No rules yet" action={edit}>
          Every passthrough request to this provider is refused.
        </Empty>
      ) : (
        <Table caption="Passthrough rules" columns={COLUMNS} rows={rules} keyOf={nameOf} />
      )}
      {editing && <PassthroughRulesForm providerId={id} onClose={() => setEditing(false)} />}
    </Card>
  );
}

const nameOf = ({ method, path }: rest.PassthroughRule): string => `${method} ${path}`;

const COLUMNS: readonly Column<rest.PassthroughRule>[] = [
  {
    title: 'Method and path',
    cell: (rule) => <code className="font-mono text-sm break-all">{nameOf(rule)}</code>,
  },
  { title: 'Per call', cell: (rule) => showUsd(rule.callPriceUsd) },
  {
    title: 'Per megabyte sent, received',
    cell: (rule) =>
      `${showUsd(rule.requestMegabytePriceUsd)}, ${showUsd(rule.responseMegabytePriceUsd)}`,
  },
  {
    title: 'Most bytes sent, received',
    cell: (rule) => `${showCount(rule.maxRequestBytes)}, ${showCount(rule.maxResponseBytes)}`,
  },
];
