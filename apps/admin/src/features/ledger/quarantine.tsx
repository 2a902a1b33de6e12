'use client';

import { rest } from '@tollgate/contracts';
import { Eye, RotateCw, ShieldCheck, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';

import { useRest } from '../../api/provider';
import type { RestClient } from '../../api/rest-client';
import { Empty } from '../../design/empty';
import type { MenuAction } from '../../design/menu';
import { When } from '../../design/when';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ResourceList } from '../../resource/resource-list';
import { sourceOf } from '../../resource/source';
import { useMay, useTimeZone } from '../../shell/scope';
import { OrganisationOf } from '../users/user-columns';
import { QuarantineStatus } from './quarantine-status';
import { QuarantinedEntry } from './quarantined-entry';
import { ReasonForm } from './reason-form';

const STALE = [rest.listQuarantine.id, rest.getQuarantined.id];

type QuarantineWindow =
  | { readonly open: 'look' | 'dismiss'; readonly entry: rest.QuarantinedEntry }
  | { readonly open: 'ask'; readonly question: Question };

/** Ledger entries that could not be booked. Later entries were not held up. */
export function Quarantine() {
  const client = useRest();
  const mayWrite = useMay('platform.ledger.write');
  const [window, setWindow] = useState<QuarantineWindow>();
  const columns = useQuarantineColumns();
  const close = (): void => setWindow(undefined);
  const actionsOf = (entry: rest.QuarantinedEntry): readonly MenuAction[] => {
    const look: MenuAction = {
      label: 'View entry',
      icon: Eye,
      onSelect: () => setWindow({ open: 'look', entry }),
    };
    if (!mayWrite || entry.status !== 'OPEN') return [look];
    return [
      look,
      {
        label: 'Try again',
        icon: RotateCw,
        onSelect: () => setWindow({ open: 'ask', question: retryQuestion(client, entry) }),
      },
      {
        label: 'Dismiss',
        icon: Trash2,
        danger: true,
        onSelect: () => setWindow({ open: 'dismiss', entry }),
      },
    ];
  };
  return (
    <>
      <ResourceList
        title="Quarantined entries"
        source={sourceOf(rest.listQuarantine, {})}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={nameOf}
        filters={[
          { name: 'status', label: 'Status', any: 'Any status', values: rest.QUARANTINE_STATUSES },
        ]}
        actions={actionsOf}
        empty={
          <Empty icon={ShieldCheck} title="No quarantined entries">
            Every ledger entry could be booked. An entry that cannot be booked is listed here while
            later entries continue.
          </Empty>
        }
      />
      {window?.open === 'look' && (
        <QuarantinedEntry quarantineId={window.entry.id} onClose={close} />
      )}
      {window?.open === 'ask' && <ConfirmDialog question={window.question} onClose={close} />}
      {window?.open === 'dismiss' && <DismissForm entry={window.entry} onClose={close} />}
    </>
  );
}

function retryQuestion(client: RestClient, entry: rest.QuarantinedEntry): Question {
  return {
    title: 'Book this entry?',
    consequence:
      'Books the entry unchanged. If that fails again, nothing changes and the reason is shown.',
    confirm: 'Book entry',
    run: () => client.call(rest.retryQuarantined, { params: { quarantineId: entry.id } }),
    stale: STALE,
    done: 'Entry booked.',
  };
}

interface DismissFormProps {
  readonly entry: rest.QuarantinedEntry;
  readonly onClose: () => void;
}

function DismissForm({ entry, onClose }: DismissFormProps) {
  const client = useRest();
  return (
    <ReasonForm
      title={`Dismiss ${nameOf(entry)}?`}
      description="The entry is never booked, and its usage counts nowhere. This cannot be undone."
      submit="Dismiss"
      confirm={nameOf(entry)}
      send={(reason) =>
        client.call(rest.dismissQuarantined, {
          params: { quarantineId: entry.id },
          body: { reason },
        })
      }
      stale={STALE}
      done="Entry dismissed."
      onClose={onClose}
    />
  );
}

function nameOf({ shard, seq }: Pick<rest.QuarantinedEntry, 'shard' | 'seq'>): string {
  return `entry ${String(seq)} of shard ${String(shard)}`;
}

function useQuarantineColumns(): readonly ListColumn<rest.QuarantinedEntry>[] {
  const timeZone = useTimeZone();
  return useMemo<readonly ListColumn<rest.QuarantinedEntry>[]>(
    () => [
      {
        title: 'Entry',
        cell: ({ shard, epoch, seq }) => (
          <span className="tabular-nums" title={`epoch ${String(epoch)}`}>
            {`shard ${String(shard)} · ${String(seq)}`}
          </span>
        ),
      },
      { title: 'Status', cell: ({ status }) => <QuarantineStatus status={status} /> },
      {
        title: 'Why',
        cell: ({ reason }) => <span className="text-sm wrap-anywhere text-ink-soft">{reason}</span>,
      },
      {
        title: 'Organisation',
        from: 'md',
        cell: ({ organisationId }) =>
          organisationId === null ? (
            <span className="text-ink-faint">unreadable</span>
          ) : (
            <OrganisationOf organisationId={organisationId} page="ledger" />
          ),
      },
      {
        title: 'Quarantined',
        sort: 'createdAt',
        align: 'right',
        from: 'sm',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} format="moment" />,
      },
    ],
    [timeZone],
  );
}
