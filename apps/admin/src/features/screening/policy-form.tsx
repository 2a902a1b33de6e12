'use client';

import { rest, SCREENING_LIMITS } from '@tollgate/contracts';
import { Plus } from 'lucide-react';

import { Button } from '../../design/button';
import { ErrorText } from '../../design/error-text';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
import { TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { ListPicker } from '../pickers/pickers';
import {
  bodyOf,
  draftOf,
  NEW_POLICY,
  NEW_RULE,
  type RuleDraft,
  type ScreeningDraft,
} from './draft';
import { RuleFields } from './rule-fields';
import { TestBox } from './test-box';

interface PolicyFormProps {
  /** The policy to edit; absent for a new one. */
  readonly policyId?: string;
  readonly onClose: () => void;
}

export function PolicyForm({ policyId, onClose }: PolicyFormProps) {
  const { id: organisationId } = useOrganisation();
  if (policyId === undefined) {
    return (
      <Window
        title="Create a screening policy"
        description="Rules about the texts of requests and answers."
        wide="double"
        onClose={onClose}
      >
        <Fields initial={NEW_POLICY} onClose={onClose} />
      </Window>
    );
  }
  return (
    <Window
      title="Edit screening policy"
      description="New requests use the changed rules. Running requests are not affected."
      wide="double"
      onClose={onClose}
    >
      <ReadForEditing
        endpoint={rest.getScreeningPolicy}
        input={{ params: { organisationId, screeningPolicyId: policyId } }}
      >
        {({ value, etag }) => (
          <Fields initial={draftOf(value)} known={{ policyId, etag }} onClose={onClose} />
        )}
      </ReadForEditing>
    </Window>
  );
}

interface FieldsProps {
  readonly initial: ScreeningDraft;
  readonly known?: { readonly policyId: string; readonly etag: string | undefined };
  readonly onClose: () => void;
}

const FIELDS = ['identifier', 'name', 'attachedTo', 'rules'];

function Fields({ initial, known, onClose }: FieldsProps) {
  const { id: organisationId } = useOrganisation();
  const form = useSave({
    initial,
    known,
    stale: [rest.listScreeningPolicies.id, rest.getScreeningPolicy.id],
    send: (draft: ScreeningDraft, call) => {
      const body = bodyOf(draft, organisationId);
      if (known === undefined) {
        return call(rest.createScreeningPolicy, { params: { organisationId }, body });
      }
      const params = { organisationId, screeningPolicyId: known.policyId };
      return call(rest.updateScreeningPolicy, { params, body });
    },
    made: ({ name }) => `${name} created.`,
    onClose,
  });
  const { change, draft } = form;
  return (
    <FormBody
      form={form}
      fields={FIELDS}
      submit={known === undefined ? 'Create policy' : 'Save'}
      onClose={onClose}
    >
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField label="Name" {...form.field('name')} maxLength={200} autoFocus />
            <TextField
              label="Identifier"
              hint="In records and headers. Lower-case letters, digits and hyphens."
              {...form.field('identifier')}
              spellCheck={false}
              maxLength={64}
            />
          </div>
          <Attachments
            draft={draft}
            error={fieldError(form.error, 'attachedTo')}
            onChange={change}
          />
          <Rules
            rules={draft.rules}
            errorOf={(place) => fieldError(form.error, `rules[${String(place)}]`)}
            onChange={(rules) => change({ rules })}
          />
          <Switch
            label="On"
            hint="When off, the rules apply to no request."
            checked={draft.active}
            onChange={(active) => change({ active })}
          />
        </div>
        <div className="self-start lg:sticky lg:top-0">
          <TestBox rules={draft.rules} />
        </div>
      </div>
    </FormBody>
  );
}

interface AttachmentsProps {
  readonly draft: ScreeningDraft;
  readonly error: string | undefined;
  readonly onChange: (part: Partial<ScreeningDraft>) => void;
}

/** What the policy applies to. */
function Attachments({ draft, error, onChange }: AttachmentsProps) {
  const { keyIds, mcpServerIds, modelIds, teamIds, wholeOrganisation } = draft;
  return (
    <div className="flex flex-col gap-4">
      <Switch
        label="Applies to the whole organisation"
        hint="Otherwise to the teams, keys, models and MCP servers below."
        checked={wholeOrganisation}
        onChange={(on) => onChange({ wholeOrganisation: on })}
      />
      <ErrorText>{error}</ErrorText>
      {!wholeOrganisation && (
        <>
          <ListPicker
            of="teams"
            legend="Teams"
            many
            chosen={teamIds}
            onChange={(ids) => onChange({ teamIds: ids })}
          />
          <ListPicker
            of="keys"
            legend="Keys"
            many
            chosen={keyIds}
            onChange={(ids) => onChange({ keyIds: ids })}
          />
          <ListPicker
            of="models"
            legend="Models"
            chosen={modelIds}
            onChange={(ids) => onChange({ modelIds: ids })}
          />
          <ListPicker
            of="mcpServers"
            legend="MCP servers"
            chosen={mcpServerIds}
            onChange={(ids) => onChange({ mcpServerIds: ids })}
          />
        </>
      )}
    </div>
  );
}

interface RulesProps {
  readonly rules: readonly RuleDraft[];
  readonly errorOf: (place: number) => string | undefined;
  readonly onChange: (rules: readonly RuleDraft[]) => void;
}

function Rules({ rules, errorOf, onChange }: RulesProps) {
  return (
    <div className="flex flex-col gap-3">
      {rules.map((rule, place) => (
        <RuleFields
          // Rules have no id of their own before they are saved.
          key={place}
          rule={rule}
          place={place}
          error={errorOf(place)}
          onChange={(part) => onChange(rules.with(place, { ...rule, ...part }))}
          onRemove={() => onChange(rules.toSpliced(place, 1))}
        />
      ))}
      {rules.length < SCREENING_LIMITS.rules && (
        <div>
          <Button size="small" onClick={() => onChange([...rules, NEW_RULE])}>
            <Plus aria-hidden />
            Add a rule
          </Button>
        </div>
      )}
    </div>
  );
}
