'use client';

import type { rest } from '@tollgate/contracts';
import { ListChecks, Pencil, Power, Sparkles } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';

import { useRest } from '../../api/provider';
import { Badge } from '../../design/badge';
import { Button } from '../../design/button';
import type { MenuAction } from '../../design/menu';
import { plural } from '../../format/numbers';
import { deleteAction } from '../../resource/actions';
import type { ListColumn } from '../../resource/columns-menu';
import { ConfirmDialog, type Question } from '../../resource/confirm-dialog';
import { ListPage } from '../../resource/list-page';
import { useRows } from '../../resource/source';
import { STALE_RULES, useAlertApi, useMayWriteAlerts } from './alert-api';
import { RuleForm } from './rule-form';
import { ALERT_WORDS, conditionWords } from './words';

type RuleWindow =
  | { readonly open: 'create' }
  | { readonly open: 'edit'; readonly rule: rest.AlertRule }
  | { readonly open: 'ask'; readonly question: Question };

/** What raises alerts. */
export function Rules({ above }: { readonly above: ReactNode }) {
  const api = useAlertApi();
  const client = useRest();
  const mayWrite = useMayWriteAlerts();
  const [window, setWindow] = useState<RuleWindow>();
  const close = (): void => setWindow(undefined);
  const recommended = useRecommended((question) => setWindow({ open: 'ask', question }));
  const actionsOf = (rule: rest.AlertRule): readonly MenuAction[] => {
    const { id, name, status } = rule;
    const next = status === 'ACTIVE' ? 'DISABLED' : 'ACTIVE';
    const label = status === 'ACTIVE' ? 'Turn off' : 'Turn on';
    return [
      { label: 'Edit', icon: Pencil, onSelect: () => setWindow({ open: 'edit', rule }) },
      {
        label,
        icon: Power,
        onSelect: () =>
          setWindow({
            open: 'ask',
            question: {
              title: `${label} rule ${name}?`,
              consequence:
                next === 'DISABLED'
                  ? 'The rule raises no alerts. Its alerts stay in the log.'
                  : 'The rule raises alerts again.',
              confirm: label,
              run: () => api.switchRule(client, id, next),
              stale: STALE_RULES,
              done: `${name} is ${next === 'ACTIVE' ? 'on' : 'off'}.`,
            },
          }),
      },
      deleteAction({
        noun: 'rule',
        name,
        consequence: 'The rule raises no more alerts. Its alerts stay in the log.',
        run: () => api.deleteRule(client, id),
        stale: STALE_RULES,
        ask: (question) => setWindow({ open: 'ask', question }),
      }),
    ];
  };
  return (
    <ListPage
      title="Alert rules"
      heading="Alerts"
      description="What your rules have raised, and whether the messages arrived."
      create={mayWrite && { label: 'Create rule', onSelect: () => setWindow({ open: 'create' }) }}
      buttons={mayWrite && recommended}
      above={above}
      source={api.rules}
      columns={useRuleColumns()}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      actions={mayWrite && actionsOf}
      empty={{
        icon: ListChecks,
        title: 'No alert rules yet',
        text: 'Without a rule there are no alerts. The recommended rules watch budgets, quotas, keys, providers and prices.',
        ...(mayWrite && { action: recommended }),
      }}
    >
      {window?.open === 'create' && <RuleForm onClose={close} />}
      {window?.open === 'edit' && <RuleForm rule={window.rule} onClose={close} />}
      {window?.open === 'ask' && <ConfirmDialog question={window.question} onClose={close} />}
    </ListPage>
  );
}

/** Adds a rule of each kind that has none, with all destinations that there are. */
function useRecommended(ask: (question: Question) => void): ReactNode {
  const api = useAlertApi();
  const client = useRest();
  const { data } = useRows(api.destinations, { limit: 50 });
  const ids = data?.data.map(({ id }) => id) ?? [];
  const where =
    ids.length === 0
      ? 'Alerts are only in the log, because there is no destination yet.'
      : `Their messages go to ${plural(ids.length, 'destination')}.`;
  return (
    <Button
      disabled={data === undefined}
      onClick={() =>
        ask({
          title: 'Add the recommended rules?',
          consequence: `Adds a rule of each kind that has none yet. ${where}`,
          confirm: 'Add rules',
          run: () => api.addRecommended(client, ids),
          stale: STALE_RULES,
          done: 'Recommended rules added.',
        })
      }
    >
      <Sparkles aria-hidden />
      Recommended rules
    </Button>
  );
}

function useRuleColumns(): readonly ListColumn<rest.AlertRule>[] {
  return useMemo<readonly ListColumn<rest.AlertRule>[]>(
    () => [
      { title: 'Name', sort: 'name', cell: ({ name }) => name },
      {
        title: 'Alert when',
        cell: ({ condition }) => (
          <>
            {ALERT_WORDS[condition.kind]}
            <span className="block text-sm font-normal text-ink-faint">
              {conditionWords(condition)}
            </span>
          </>
        ),
      },
      {
        title: 'Destinations',
        from: 'sm',
        align: 'right',
        cell: ({ destinationIds }) => destinationIds.length,
      },
      {
        title: 'Status',
        from: 'sm',
        cell: ({ status }) =>
          status === 'ACTIVE' ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>,
      },
    ],
    [],
  );
}
