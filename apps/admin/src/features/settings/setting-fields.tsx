'use client';

import { useId, type ReactNode } from 'react';

import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
import { NumberField, SelectField, TextAreaField, TextField } from '../../design/text-field';
import { RegionsField } from '../../resource/regions-field';
import { fieldsOf } from '../../resource/use-form';
import { BodyFields } from './body-fields';
import type { SettingsDraft } from './draft';

/** Fields that show their own error. A switch shows none, so its error stands above the form. */
export const SETTING_FIELDS = [
  'name',
  'timeZone',
  'allowedRegions',
  'tagKeys',
  'retentionDays',
  'keepDecisions',
  'keepDecisionsDays',
  'responseCache',
  'responseCacheTtlSeconds',
  'responseCachePricePercent',
  'keptBodiesPercent',
  'keptBodiesDays',
  'billingName',
  'billingAddress',
  'taxNumber',
];

export interface SettingFieldsProps {
  readonly draft: SettingsDraft;
  readonly error: ApiError | undefined;
  readonly disabled?: boolean;
  /** Focuses the name, as dialogs do. */
  readonly autoFocus?: boolean;
  readonly onChange: (part: Partial<SettingsDraft>) => void;
  /** Fields after the name. */
  readonly children?: ReactNode;
}

const SWITCHES = [
  {
    name: 'routingEnabled',
    label: 'Routing policies',
    hint: 'Lets routing policies of API keys choose among several models.',
  },
  {
    name: 'openCompatRoutes',
    label: 'Any model on every vendor’s routes',
    hint: 'The OpenAI and vLLM routes serve models of every provider that supports the operation: chat, embeddings, images, audio and others (openCompatRoutes).',
  },
  {
    name: 'routeCompatRequests',
    label: 'Routing policies on the vendors’ routes',
    hint: 'Routing policies also apply to the vendors’ routes. A policy chooses among the models that the route may serve.',
  },
  {
    name: 'tellUpstreamModel',
    label: 'Tell clients the upstream model',
    hint: 'Responses carry the header x-tollgate-upstream-model. Usage records always contain it.',
  },
  {
    name: 'sendOutputBound',
    label: 'Send a default output bound',
    hint: 'Requests without an output bound are sent with the model’s default. When off, they are sent without one, and the model’s maximum output is held if it is known.',
  },
  {
    name: 'traceContent',
    label: 'Prompts and answers in traces',
    hint: 'Traced requests send the texts of prompts, answers and tools to the operator’s tracing system, as screening rules let them pass. When off, traces contain no texts.',
  },
  {
    name: 'refuseUnknownTags',
    label: 'Refuse unknown tags',
    hint: 'Requests with a tag that is not listed above are refused. When off, the tag is ignored, and the header x-tollgate-tags-ignored of the response names it.',
  },
] as const;

/** The name and settings of an organisation. */
export function SettingFields(props: SettingFieldsProps) {
  const { draft, disabled = false, autoFocus = false, onChange, children } = props;
  const field = fieldsOf(props);
  const zones = useId();
  return (
    <>
      <TextField
        label="Name"
        {...field('name')}
        disabled={disabled}
        maxLength={200}
        autoFocus={autoFocus}
      />
      {children}
      <TextField
        label="Time zone"
        hint="Days, weeks, months and quarters of budgets and reports start in this time zone."
        {...field('timeZone')}
        disabled={disabled}
        spellCheck={false}
        list={zones}
      />
      <datalist id={zones}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <RegionsField of="the organisation’s keys" {...field('allowedRegions')} disabled={disabled} />
      <NumberField
        label="Keep usage records for (days)"
        optional
        hint="Empty: forever. Totals and ledger sums are always kept."
        {...field('retentionDays')}
        disabled={disabled}
      />
      <DecisionFields {...props} />
      <TextAreaField
        label="Tags of requests"
        optional
        hint="Keys, one per line, at most 10. Requests set them in the header x-tollgate-tags, such as project=blue. Only tags of trusted API keys are recorded."
        {...field('tagKeys')}
        disabled={disabled}
        rows={3}
        spellCheck={false}
      />
      <CacheFields {...props} />
      <BodyFields {...props} />
      <BillingFields {...props} />
      {SWITCHES.map(({ name, label, hint }) => (
        <Switch
          key={name}
          label={label}
          hint={hint}
          checked={draft[name]}
          disabled={disabled}
          onChange={(checked) => onChange({ [name]: checked })}
        />
      ))}
    </>
  );
}

const DECISION_CHOICES = [
  { value: 'OFF', label: 'None' },
  { value: 'REFUSED', label: 'Of refused requests' },
  { value: 'ALL', label: 'Of all requests' },
] as const;

/** Which decisions are kept with what they are made of. */
function DecisionFields(props: SettingFieldsProps) {
  const { draft, disabled = false, error, onChange } = props;
  const field = fieldsOf(props);
  return (
    <>
      <SelectField
        label="Keep decisions"
        hint="The page of a request shows its checks, the limits before and after it, and the candidates that were left out. Prompts and answers are not part of it."
        error={fieldError(error, 'keepDecisions')}
        value={draft.keepDecisions}
        choices={DECISION_CHOICES}
        disabled={disabled}
        onChange={(keepDecisions) => onChange({ keepDecisions })}
      />
      {draft.keepDecisions !== 'OFF' && (
        <NumberField
          label="Keep decisions for (days)"
          hint="1 to 90, and never longer than usage records."
          {...field('keepDecisionsDays')}
          disabled={disabled}
        />
      )}
    </>
  );
}

const CACHE_MODES = [
  { value: 'OFF', label: 'Off' },
  { value: 'ON', label: 'On' },
  { value: 'ON_REQUEST', label: 'Only for requests that ask for it' },
] as const;

/** How keys without a setting of their own use kept answers. */
function CacheFields(props: SettingFieldsProps) {
  const { draft, disabled = false, error, onChange } = props;
  const field = fieldsOf(props);
  return (
    <>
      <SelectField
        label="Response cache"
        hint="Answers are kept and used again for equal requests of this organisation. An API key may have its own setting. Kept answers contain what models wrote."
        error={fieldError(error, 'responseCache')}
        value={draft.responseCache}
        choices={CACHE_MODES}
        disabled={disabled}
        onChange={(responseCache) => onChange({ responseCache })}
      />
      {draft.responseCache !== 'OFF' && (
        <>
          <NumberField
            label="Use kept answers for (seconds)"
            {...field('responseCacheTtlSeconds')}
            disabled={disabled}
          />
          <NumberField
            label="Price of a kept answer (percent)"
            hint="Of what the answer costs at today’s price. 0: free."
            {...field('responseCachePricePercent')}
            disabled={disabled}
          />
        </>
      )}
    </>
  );
}

/** To whom invoices are made out. */
function BillingFields(props: SettingFieldsProps) {
  const { disabled = false } = props;
  const field = fieldsOf(props);
  return (
    <>
      <TextField
        label="Invoices are made out to"
        optional
        hint="Empty: the name of the organisation. A draft takes these three fields when it is made or refreshed; an issued invoice keeps its own."
        {...field('billingName')}
        disabled={disabled}
        maxLength={200}
      />
      <TextAreaField
        label="Billing address"
        optional
        {...field('billingAddress')}
        disabled={disabled}
        rows={4}
      />
      <TextField
        label="Tax number"
        optional
        {...field('taxNumber')}
        disabled={disabled}
        maxLength={50}
      />
    </>
  );
}
