'use client';

import { PASSTHROUGH_METHODS, PASSTHROUGH_RULES_MAX, rest } from '@tollgate/contracts';
import { ArrowUp, Plus, Trash2 } from 'lucide-react';

import type { ApiError } from '../../api/rest-client';
import { Button, IconButton } from '../../design/button';
import { fieldError } from '../../design/field-error';
import { NumberField, SelectField, TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { fieldsOf } from '../../resource/use-form';
import { useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { moved, NEW_RULE, ruleDraftOf, rulesOfDraft, type RuleDraft } from './rules-draft';

interface RulesFormProps {
  readonly providerId: string;
  readonly onClose: () => void;
}

/** Edits which endpoints of a provider keys may call as they are. */
export function PassthroughRulesForm({ providerId, onClose }: RulesFormProps) {
  const { id: organisationId } = useOrganisation();
  return (
    <Window
      title="Passthrough rules"
      description="The first rule that matches method and path counts. Without one, a request is refused."
      wide
      onClose={onClose}
    >
      <ReadForEditing
        endpoint={rest.getProvider}
        input={{ params: { organisationId, providerId } }}
      >
        {({ value, etag }) => <Form provider={value} etag={etag} onClose={onClose} />}
      </ReadForEditing>
    </Window>
  );
}

interface FormProps {
  readonly provider: rest.Provider;
  readonly etag: string | undefined;
  readonly onClose: () => void;
}

function Form({ provider, etag, onClose }: FormProps) {
  const { organisationId, id: providerId } = provider;
  const form = useSave<{ readonly rules: readonly RuleDraft[] }, rest.Provider>({
    initial: { rules: provider.passthroughRules.map(ruleDraftOf) },
    known: { etag },
    stale: [rest.listProviders.id, rest.getProvider.id],
    send: ({ rules }, call) =>
      call(rest.updateProvider, {
        params: { organisationId, providerId },
        body: { passthroughRules: rulesOfDraft(rules) },
      }),
    onClose,
  });
  const { rules } = form.draft;
  const change = (next: readonly RuleDraft[]): void => form.change({ rules: next });
  return (
    <FormBody form={form} fields={['passthroughRules']} submit="Save" onClose={onClose}>
      {rules.map((rule, index) => (
        // Rules have no id but their position.
        <RuleFields
          key={index}
          rule={rule}
          number={index + 1}
          error={form.error}
          at={`passthroughRules[${String(index)}].`}
          onChange={(part) => change(rules.with(index, { ...rule, ...part }))}
          onUp={index === 0 ? undefined : () => change(moved(rules, index, -1))}
          onRemove={() => change(rules.filter((_, place) => place !== index))}
        />
      ))}
      {rules.length < PASSTHROUGH_RULES_MAX && (
        <div>
          <Button size="small" onClick={() => change([...rules, NEW_RULE])}>
            <Plus aria-hidden />
            Add rule
          </Button>
        </div>
      )}
    </FormBody>
  );
}

interface RuleFieldsProps {
  readonly rule: RuleDraft;
  readonly number: number;
  readonly error: ApiError | undefined;
  /** The path of the rule in the request. */
  readonly at: string;
  readonly onChange: (part: Partial<RuleDraft>) => void;
  readonly onUp: (() => void) | undefined;
  readonly onRemove: () => void;
}

const METHODS = PASSTHROUGH_METHODS.map((method) => ({ value: method, label: method }));

function RuleFields({ rule, number, error, at, onChange, onUp, onRemove }: RuleFieldsProps) {
  const field = fieldsOf({ draft: rule, error, onChange }, (name) => fieldError(error, at + name));
  const price = (name: PriceField, label: string) => (
    <TextField label={label} inputMode="decimal" {...field(name)} />
  );
  return (
    <fieldset className="rounded-md border p-4 pt-2">
      <legend className="px-1 text-sm font-medium">Rule {number}</legend>
      <div className="grid gap-4 sm:grid-cols-3">
        <SelectField
          label="Method"
          error={fieldError(error, `${at}method`)}
          value={rule.method}
          choices={METHODS}
          onChange={(method) => onChange({ method })}
        />
        <div className="sm:col-span-2">
          <TextField
            label="Path"
            hint="Below the base URL. * is one segment, ** at the end one or more."
            {...field('path')}
          />
        </div>
        {price('callPriceUsd', 'US dollars per call')}
        {price('requestMegabytePriceUsd', 'Per megabyte sent')}
        {price('responseMegabytePriceUsd', 'Per megabyte received')}
        <NumberField label="Most bytes sent" {...field('maxRequestBytes')} />
        <NumberField label="Most bytes received" {...field('maxResponseBytes')} />
        <div className="flex items-end justify-end gap-1">
          {onUp && (
            <IconButton label={`Move rule ${String(number)} up`} onClick={onUp}>
              <ArrowUp />
            </IconButton>
          )}
          <IconButton label={`Remove rule ${String(number)}`} onClick={onRemove}>
            <Trash2 />
          </IconButton>
        </div>
      </div>
    </fieldset>
  );
}

type PriceField = 'callPriceUsd' | 'requestMegabytePriceUsd' | 'responseMegabytePriceUsd';
