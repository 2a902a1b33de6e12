'use client';

import { useQueries } from '@tanstack/react-query';
import { rest, ROUTING_STRATEGIES } from '@tollgate/contracts';

import { useRest } from '../../api/provider';
import { query } from '../../api/queries';
import type { ApiError } from '../../api/rest-client';
import { fieldError } from '../../design/field-error';
import { Switch } from '../../design/switch';
import { SelectField, TextField } from '../../design/text-field';
import { FormBody, Window } from '../../resource/form-dialog';
import { fieldsOf } from '../../resource/use-form';
import { useSave } from '../../resource/use-save';
import { ReadForEditing } from '../../resource/versioned';
import { useOrganisation } from '../../shell/scope';
import { CandidatesField } from './candidates-field';
import { bodyOf, draftOf, NEW_POLICY, type RoutingDraft } from './draft';
import { TimesFields, TriggersField } from './failure-fields';
import { explained, STRATEGY_WORDS } from './words';

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
        title="Create a routing policy"
        description="Which model serves a request, and which one is next when it fails."
        wide="double"
        onClose={onClose}
      >
        <Fields initial={NEW_POLICY} onClose={onClose} />
      </Window>
    );
  }
  const params = { organisationId, routingPolicyId: policyId };
  return (
    <Window
      title="Edit routing policy"
      description="New requests use the changed policy. Running requests are not affected."
      wide="double"
      onClose={onClose}
    >
      <ReadForEditing endpoint={rest.getRoutingPolicy} input={{ params }}>
        {({ value, etag }) => (
          <Fields initial={draftOf(value)} known={{ policyId, etag }} onClose={onClose} />
        )}
      </ReadForEditing>
    </Window>
  );
}

interface FieldsProps {
  readonly initial: RoutingDraft;
  readonly known?: { readonly policyId: string; readonly etag: string | undefined };
  readonly onClose: () => void;
}

const FIELDS = [
  'name',
  'strategy',
  'candidates',
  'failoverTriggers',
  'retries',
  'timeouts.attemptMs',
  'timeouts.connectMs',
  'timeouts.firstTokenMs',
  'timeouts.idleMs',
  'totalTimeoutMs',
  'hedgeAfterMs',
];

function Fields({ initial, known, onClose }: FieldsProps) {
  const { id: organisationId } = useOrganisation();
  const form = useSave({
    initial,
    known,
    stale: [rest.listRoutingPolicies.id, rest.getRoutingPolicy.id],
    send: (draft: RoutingDraft, call) => {
      const body = bodyOf(draft);
      if (known === undefined) {
        const params = { organisationId };
        return call(rest.createRoutingPolicy, { params, body });
      }
      const params = { organisationId, routingPolicyId: known.policyId };
      return call(rest.updateRoutingPolicy, { params, body });
    },
    made: ({ name }) => `${name} created. Assign it to the keys that need it.`,
    onClose,
  });
  const { draft, change, error } = form;
  return (
    <FormBody
      form={form}
      fields={FIELDS}
      submit={known === undefined ? 'Create policy' : 'Save'}
      onClose={onClose}
    >
      <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Basics draft={draft} error={error} onChange={change} />
          <CandidatesField
            strategy={draft.strategy}
            candidates={draft.candidates}
            error={fieldError(error, 'candidates')}
            onChange={(candidates) => change({ candidates })}
          />
          <TriggersField
            chosen={draft.failoverTriggers}
            error={fieldError(error, 'failoverTriggers')}
            onChange={(failoverTriggers) => change({ failoverTriggers })}
          />
          <TimesFields draft={draft} error={error} onChange={change} />
          <Switch
            label="On"
            hint="When off, keys with this policy use only the model that a request names."
            checked={draft.active}
            onChange={(active) => change({ active })}
          />
        </div>
        <div className="self-start lg:sticky lg:top-0">
          <Explanation draft={draft} />
        </div>
      </div>
    </FormBody>
  );
}

interface BasicsProps {
  readonly draft: RoutingDraft;
  readonly error: ApiError | undefined;
  readonly onChange: (part: Partial<RoutingDraft>) => void;
}

function Basics(props: BasicsProps) {
  const { draft } = props;
  const field = fieldsOf(props);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Name"
        hint="Requests can use this name instead of a model."
        {...field('name')}
        spellCheck={false}
        maxLength={200}
        autoFocus
      />
      <SelectField
        label="Strategy"
        hint={STRATEGY_WORDS[draft.strategy].note}
        {...field('strategy')}
        choices={ROUTING_STRATEGIES.map((strategy) => ({
          value: strategy,
          label: STRATEGY_WORDS[strategy].label,
        }))}
      />
    </div>
  );
}

/** Explains what the draft does. */
export function Explanation({ draft }: { draft: RoutingDraft }) {
  const client = useRest();
  const { id: organisationId } = useOrganisation();
  const names = useQueries({
    queries: draft.candidates.map(({ modelId }) =>
      query(client, rest.getModel, { params: { organisationId, modelId } }),
    ),
    combine: (reads) => new Map(reads.map(({ data }) => [data?.id, data?.name])),
  });
  return (
    <section aria-label="What it does" className="rounded-md bg-accent-soft px-4 py-3">
      <h3 className="text-sm font-medium">What it does</h3>
      <ul className="mt-1 list-disc space-y-1 pl-4 text-sm text-ink-soft">
        {explained(draft, (modelId) => names.get(modelId) ?? 'a model').map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}
