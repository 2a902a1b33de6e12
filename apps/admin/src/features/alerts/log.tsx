'use client';

import { ALERT_KINDS, type rest } from '@tollgate/contracts';
import { BellRing, Check, ListChecks } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';

import { useRest } from '../../api/provider';
import { Badge } from '../../design/badge';
import { Button } from '../../design/button';
import { useListQuery } from '../../design/use-list-query';
import { When } from '../../design/when';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ListPage } from '../../resource/list-page';
import { useTimeZone } from '../../shell/scope';
import { STALE_LOG, useAlertApi, useMayWriteAlerts } from './alert-api';
import { AlertWindow } from './alert-window';
import { ALERT_WORDS, deliveryWords } from './words';

/** The alerts that were raised, and what became of their messages. */
export function AlertLog({ above }: { readonly above: ReactNode }) {
  const api = useAlertApi();
  const client = useRest();
  const mayWrite = useMayWriteAlerts();
  const columns = useLogColumns();
  const [question, setQuestion] = useState<Question>();
  // A link in a message names its alert.
  const linked = useListQuery().get('alert');
  const [opened, setOpened] = useState(linked);
  return (
    <ListPage
      title="Alerts"
      description="What your rules have raised, and whether the messages arrived."
      create={false}
      buttons={
        mayWrite && (
          <Button onClick={() => setQuestion(allSeen(() => api.markAllSeen(client)))}>
            <Check aria-hidden />
            Mark all as seen
          </Button>
        )
      }
      above={above}
      source={api.log}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ title }) => title}
      filters={[
        {
          name: 'seen',
          label: 'Seen',
          any: 'Seen or not',
          values: ['false', 'true'],
          wordOf: (value) => (value === 'true' ? 'Seen' : 'Not seen'),
        },
        {
          name: 'kind',
          label: 'Kind',
          any: 'Any kind',
          values: ALERT_KINDS,
          wordOf: (kind) =>
            ALERT_KINDS.map((one) => (one === kind ? ALERT_WORDS[one] : '')).join(''),
        },
      ]}
      actions={({ id }) => [
        { label: 'Open alert', icon: ListChecks, onSelect: () => setOpened(id) },
      ]}
      empty={{
        icon: BellRing,
        title: 'No alerts yet',
        text: 'An alert appears here when a rule finds something. Add the recommended rules on the tab Rules.',
      }}
    >
      {question && <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />}
      {opened !== undefined && (
        <AlertWindow alertId={opened} onClose={() => setOpened(undefined)} />
      )}
    </ListPage>
  );
}

function allSeen(run: () => Promise<unknown>): Question {
  return {
    title: 'Mark all alerts as seen?',
    consequence: 'The dashboard does not name them any more. They stay in the log.',
    confirm: 'Mark all as seen',
    run,
    stale: STALE_LOG,
    done: 'All alerts are seen.',
  };
}

function useLogColumns(): readonly ListColumn<rest.Alert>[] {
  const timeZone = useTimeZone();
  return useMemo<readonly ListColumn<rest.Alert>[]>(
    () => [
      {
        title: 'Alert',
        cell: ({ title, text }) => (
          <>
            {title}
            <span className="block max-w-120 text-sm font-normal text-ink-faint">{text}</span>
          </>
        ),
      },
      { title: 'Rule', from: 'lg', cell: ({ ruleName }) => ruleName },
      {
        title: 'Messages',
        from: 'sm',
        cell: ({ deliveries }) => (
          <Badge tone={deliveries.failed > 0 ? 'bad' : 'neutral'}>
            {deliveryWords(deliveries)}
          </Badge>
        ),
      },
      {
        title: 'Seen',
        from: 'md',
        cell: ({ seenAt }) => (seenAt === null ? <Badge tone="warn">Not seen</Badge> : 'Seen'),
      },
      {
        title: 'Raised',
        sort: 'createdAt',
        align: 'right',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} format="minute" />,
      },
    ],
    [timeZone],
  );
}
