'use client';

import { rest, type BudgetPeriod, type LimitMode } from '@tollgate/contracts';

import { Switch } from '../../design/switch';
import { SelectField, TextField } from '../../design/text-field';
import { sentence } from '../../format/words';
import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { ModeField } from './mode-field';
import {
  periodsFor,
  requireValueOf,
  ScopeField,
  scopeOf,
  StateFields,
  useFirstScope,
  type ScopeDraft,
} from './scope-field';
import { madeWords } from './trust-words';

interface BudgetFormProps {
  /** The budget to edit; absent for a new one. */
  readonly budgetId?: string;
  /** The field that gets the focus. */
  readonly focus?: string | undefined;
  readonly onClose: () => void;
}

export function BudgetForm({ budgetId, focus, onClose }: BudgetFormProps) {
  const { id: organisationId } = useOrganisation();
  const scope = useFirstScope();
  if (budgetId === undefined) {
    const draft: Draft = { scope, period: 'MONTHLY', limitUsd: '', ...DEFAULTS };
    return (
      <Window
        title="Create a budget"
        description="Spending in the current window counts from the start."
        onClose={onClose}
      >
        <Fields initial={draft} onClose={onClose} />
      </Window>
    );
  }
  return (
    <Window title="Edit budget" description="Running requests keep their holds." onClose={onClose}>
      <ReadForEditing endpoint={rest.getBudget} input={{ params: { organisationId, budgetId } }}>
        {({ value, etag }) => (
          <Fields initial={value} known={{ budgetId, etag }} focus={focus} onClose={onClose} />
        )}
      </ReadForEditing>
    </Window>
  );
}

const DEFAULTS = {
  mode: 'HARD',
  status: 'ACTIVE',
  clampToBudget: false,
  requireValue: false,
} as const;

interface Draft {
  readonly scope: ScopeDraft;
  readonly requireValue: boolean;
  readonly period: BudgetPeriod;
  readonly limitUsd: string;
  readonly mode: LimitMode;
  readonly status: rest.Budget['status'];
  readonly clampToBudget: boolean;
}

interface FieldsProps {
  readonly initial: Draft;
  readonly known?: { readonly budgetId: string; readonly etag: string | undefined };
  readonly focus?: string | undefined;
  readonly onClose: () => void;
}

const FIELDS = ['scope', 'period', 'limitUsd', 'mode', 'status', 'clampToBudget', 'requireValue'];

function Fields({ initial, known, focus, onClose }: FieldsProps) {
  const { id: organisationId } = useOrganisation();
  const form = useSave({
    initial,
    known,
    stale: [rest.listBudgets.id, rest.getBudget.id],
    send: ({ period, limitUsd, mode, status, clampToBudget, ...draft }: Draft, call) => {
      const body = {
        limitUsd: limitUsd.trim(),
        mode,
        status,
        clampToBudget,
        ...requireValueOf(draft),
      };
      if (known === undefined) {
        return call(rest.createBudget, {
          params: { organisationId },
          body: { scope: scopeOf(draft.scope), period, ...body },
        });
      }
      const { budgetId } = known;
      return call(rest.updateBudget, {
        params: { organisationId, budgetId },
        body,
      });
    },
    made: (limit) => madeWords('Budget', limit),
    onClose,
  });
  const { draft, change, error, field } = form;
  return (
    <FormBody
      form={form}
      fields={FIELDS}
      submit={known === undefined ? 'Create budget' : 'Save'}
      onClose={onClose}
    >
      {known === undefined && (
        <>
          <ScopeField scope={draft.scope} error={error} onChange={(scope) => change({ scope })} />
          <SelectField
            label="Period"

            {...field('period')}
            choices={periodsFor(draft.scope.type).map((value) => ({
              value,
              label: sentence(value),
            }))}
          />
        </>
      )}
      <TextField
        label="Limit in US dollars"
        hint="For example 12.50"

        {...field('limitUsd')}

        inputMode="decimal"
        autoFocus={focus === 'limitUsd'}
      />
      <ModeField {...field('mode')} />
      <Switch
        label="Lower the output bound instead of refusing"
        hint="When the rest of the budget does not cover a request, its output is limited instead."
        checked={draft.clampToBudget}
        autoFocus={focus === 'clampToBudget'}
        onChange={(clampToBudget) => change({ clampToBudget })}
      />
      <StateFields draft={draft} change={change} />
    </FormBody>
  );
}
