'use client';

import { rest } from '@tollgate/contracts';
import { HandCoins, Handshake } from 'lucide-react';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import { Badge } from '../../design/badge';
import { Empty } from '../../design/empty';
import type { MenuAction } from '../../design/menu';
import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import type { ListColumn } from '../../resource/columns-menu';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { useMay, useScope, useTimeZone } from '../../shell/scope';
import { narrowed } from '../users/narrowed';
import { OrganisationOf } from '../users/user-columns';
import { ReasonForm } from './reason-form';

interface Asked {
  readonly hold: rest.AbandonedHold;
  readonly charge: rest.HoldResolve['charge'];
}

const WORDS = {
  KEEP: {
    label: 'Keep the charge',
    description: 'The request stays charged for the full amount that was held.',
    done: 'Charge kept.',
  },
  REFUND: {
    label: 'Refund the charge',
    description: 'Refunds the full cost of the request. It still counts as a request.',
    done: 'Charge refunded.',
  },
} as const;

/**
 * Holds whose lease expired without a settle. They are charged in full until an operator decides.
 */
export function Abandoned() {
  const client = useRest();
  const { organisation } = useScope();
  const mayWrite = useMay('platform.ledger.write');
  const columns = useAbandonedColumns();
  const [asked, setAsked] = useState<Asked>();
  const organisationId = organisation?.id;
  const fixed = useMemo(() => narrowed(organisationId), [organisationId]);
  const actionsOf = (hold: rest.AbandonedHold): readonly MenuAction[] =>
    hold.state === 'RESOLVED'
      ? []
      : [
          {
            label: WORDS.KEEP.label,
            icon: Handshake,
            onSelect: () => setAsked({ hold, charge: 'KEEP' }),
          },
          {
            label: WORDS.REFUND.label,
            icon: HandCoins,
            danger: true,
            onSelect: () => setAsked({ hold, charge: 'REFUND' }),
          },
        ];
  return (
    <>
      <ResourceList
        title="Abandoned holds"
        source={sourceOf(rest.listAbandoned, {})}
        fixed={fixed}
        columns={columns}
        keyOf={({ requestId }) => requestId}
        nameOf={({ requestId }) => `request ${requestId}`}
        filters={[
          {
            name: 'state',
            label: 'State',
            any: 'Undecided',
            values: ['RESOLVED'],
            wordOf: () => 'Decided',
          },
        ]}
        actions={mayWrite && actionsOf}
        empty={
          <Empty icon={Handshake} title="No abandoned holds">
            Every request reported its usage. When a gateway is lost before it reports, the full
            hold is charged and listed here for a decision.
          </Empty>
        }
      />
      {asked !== undefined && (
        <ReasonForm
          title={`${WORDS[asked.charge].label}?`}
          description={WORDS[asked.charge].description}
          submit={WORDS[asked.charge].label}
          confirm={chargeOf(asked.hold)}
          send={(reason) =>
            client.call(rest.resolveAbandoned, {
              params: { requestId: asked.hold.requestId },
              body: { charge: asked.charge, reason },
            })
          }
          stale={[rest.listAbandoned.id, rest.listUsageAdjustments.id]}
          done={WORDS[asked.charge].done}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

/** The text to type: the charged amount, or that none is booked yet. */
function chargeOf({ chargedUsd }: rest.AbandonedHold): string {
  return chargedUsd === null ? 'not booked yet' : showUsd(chargedUsd);
}

function useAbandonedColumns(): readonly ListColumn<rest.AbandonedHold>[] {
  const { organisation } = useScope();
  const timeZone = useTimeZone();
  const everywhere = organisation === null;
  return useMemo<readonly ListColumn<rest.AbandonedHold>[]>(
    () => [
      {
        title: 'Request',
        cell: ({ requestId, mcp }) => (
          <>
            <code className="font-mono text-xs font-normal break-all">{requestId}</code>
            {mcp !== null && (
              <span className="block text-sm font-normal break-all text-ink-soft">
                {mcp.server}: {mcp.name ?? mcp.method}
              </span>
            )}
          </>
        ),
      },
      ...(everywhere
        ? [
            {
              title: 'Organisation',
              from: 'sm' as const,
              cell: ({ organisationId }: rest.AbandonedHold) => (
                <OrganisationOf organisationId={organisationId} page="ledger" />
              ),
            },
          ]
        : []),
      {
        title: 'Charged',
        align: 'right',
        cell: ({ chargedUsd }) =>
          chargedUsd === null ? (
            <span className="text-ink-faint">not yet</span>
          ) : (
            showUsd(chargedUsd)
          ),
      },
      {
        title: 'State',
        from: 'sm',
        cell: ({ state }) =>
          state === 'ABANDONED' ? <Badge tone="warn">to decide</Badge> : <Badge>decided</Badge>,
      },
      {
        title: 'Allowed',
        sort: 'authorisedAt',
        align: 'right',
        from: 'md',
        cell: ({ authorisedAt }) => (
          <When instant={authorisedAt} timeZone={timeZone} format="moment" />
        ),
      },
    ],
    [everywhere, timeZone],
  );
}
