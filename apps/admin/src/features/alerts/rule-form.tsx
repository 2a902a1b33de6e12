'use client';

import type { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { fieldError } from '../../design/field-error';
import { Picker } from '../../design/picker';
import { NumberField, SelectField, TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { useRows } from '../../resource/source';
import type { Form } from '../../resource/use-form';
import { createdText, useSave } from '../../resource/use-save';
import { useScope } from '../../shell/scope';
import { STALE_RULES, useAlertApi } from './alert-api';
import { kindsOf, NEW_RULE, ruleBodyOf, ruleDraftOf, type RuleDraft } from './rule-draft';
import { ALERT_WORDS, DESTINATION_WORDS } from './words';

interface RuleFormProps {
  /** The rule to edit; absent for a new one. */
  readonly rule?: rest.AlertRule;
  readonly onClose: () => void;
}

export function RuleForm({ rule, onClose }: RuleFormProps) {
  const api = useAlertApi();
  const [firstKind = NEW_RULE.kind] = kindsOf(useScope().organisation === null);
  const form = useSave<RuleDraft, rest.AlertRule>({
    initial: rule === undefined ? { ...NEW_RULE, kind: firstKind } : ruleDraftOf(rule),
    known: rule && { etag: undefined },
    stale: STALE_RULES,
    send: (draft, call) => {
      const body = ruleBodyOf(draft, rule);
      return rule === undefined
        ? api.createRule({ call }, body)
        : api.updateRule({ call }, rule.id, body);
    },
    made: createdText,
    onClose,
  });
  return (
    <Window
      title={rule === undefined ? 'Create an alert rule' : 'Edit the alert rule'}
      description="There is one alert for each limit, window and threshold."
      onClose={onClose}
    >
      <FormBody
        form={form}
        fields={FIELDS}
        submit={rule === undefined ? 'Create rule' : 'Save'}
        onClose={onClose}
      >
        <TextField label="Name" {...form.field('name')} maxLength={200} autoFocus />
        <Condition form={form} fixed={rule !== undefined} />
        <DestinationPicker form={form} />
      </FormBody>
    </Window>
  );
}

const CONDITION_FIELDS = [
  'thresholds',
  'requests',
  'percent',
  'minimumRequests',
  'entries',
  'seconds',
];
const FIELDS = ['name', 'destinationIds', ...CONDITION_FIELDS.map((field) => `condition.${field}`)];

/** The fields of the condition's kind. */
function Condition({ form, fixed }: { form: Form<RuleDraft>; fixed: boolean }) {
  const kinds = kindsOf(useScope().organisation === null);
  const { kind } = form.draft;
  const field = (
    name: 'thresholds' | 'requests' | 'percent' | 'minimumRequests' | 'entries' | 'seconds',
  ) => ({
    ...form.field(name),
    error: fieldError(form.error, `condition.${name}`),
  });
  const has = (...names: string[]): boolean => names.includes(kind);
  return (
    <>
      <SelectField
        label="Alert when"
        {...form.field('kind')}
        disabled={fixed}
        choices={kinds.map((value) => ({ value, label: ALERT_WORDS[value] }))}
      />
      {has('BUDGET_USED', 'QUOTA_USED') && (
        <TextField
          label="Percent of the limit"
          hint="Separated by commas, at most five."
          {...field('thresholds')}
        />
      )}
      {has('REQUESTS_REFUSED') && (
        <>
          <NumberField label="Refused requests" {...field('requests')} />
          <SelectField
            label="Counted for each"
            {...form.field('per')}
            choices={[
              { value: 'API_KEY', label: 'Key' },
              { value: 'ORGANISATION', label: 'Organisation' },
            ]}
          />
        </>
      )}
      {has('PROVIDER_ERRORS') && (
        <>
          <NumberField label="Percent of requests" {...field('percent')} />
          <NumberField label="Of at least so many requests" {...field('minimumRequests')} />
        </>
      )}
      {has('LEDGER_QUARANTINE') && <NumberField label="Open entries" {...field('entries')} />}
      {has('LEDGER_LAG') && <NumberField label="Seconds" {...field('seconds')} />}
      {!has('BUDGET_USED', 'QUOTA_USED', 'BUDGET_FORECAST') && (
        <SelectField
          label="One alert for each"
          {...form.field('span')}
          choices={[
            { value: 'HOUR', label: 'Hour' },
            { value: 'DAY', label: 'Day' },
          ]}
        />
      )}
    </>
  );
}

function DestinationPicker({ form }: { form: Form<RuleDraft> }) {
  const [search, setSearch] = useState('');
  const { data } = useRows(useAlertApi().destinations, { limit: 50 });
  const items = data?.data
    .filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()))
    .map(({ id, name, kind }) => ({ id, name, note: DESTINATION_WORDS[kind] }));
  return (
    <Picker
      legend="Destinations"
      hint="Without one, alerts are only in the log."
      error={fieldError(form.error, 'destinationIds')}
      many
      items={items}
      chosen={form.draft.destinationIds}
      onChange={(destinationIds) => form.change({ destinationIds })}
      search={search}
      onSearch={setSearch}
      reading={false}
      nothing="No destination yet. Add one on the tab Destinations."
      more={false}
    />
  );
}
