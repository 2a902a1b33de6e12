'use client';

import { rest, type ResponseCacheMode, type TrustedAttribution } from '@tollgate/contracts';
import { useState } from 'react';

import { useRest } from '../../api/provider';
import { fieldError } from '../../design/field-error';
import { SelectField, TextField } from '../../design/text-field';
import { useToast } from '../../design/toast';
import { showTime } from '../../format/time';
import { FormBody, Window } from '../../resource/form-dialog';
import { RegionsField } from '../../resource/regions-field';
import { regionsOf, regionsText } from '../../resource/typed';
import { useForm } from '../../resource/use-form';
import { ReadForEditing } from '../../resource/versioned';
import { useMay, useOrganisation } from '../../shell/scope';
import { PolicyPicker } from '../routing/policy-picker';
import { AdministeredFields } from './administered-fields';
import { EXPIRIES, expiryAt, type Expiry } from './draft';
import { grantsDraftOf, grantsOfDraft, type GrantsDraft } from './grants-draft';
import { ModelsField } from './models-field';

interface EditKeyDialogProps {
  readonly apiKeyId: string;
  readonly onClose: () => void;
}

/** Edits a key's name, grants and expiry. Secret and owner do not change. */
export function EditKeyDialog({ apiKeyId, onClose }: EditKeyDialogProps) {
  const { id: organisationId } = useOrganisation();
  return (
    <Window
      title="Edit API key"
      description="Change its name, grants and expiry. The secret does not change."
      wide
      onClose={onClose}
    >
      <ReadForEditing endpoint={rest.getApiKey} input={{ params: { organisationId, apiKeyId } }}>
        {({ value, etag }) => <EditKeyForm apiKey={value} etag={etag} onClose={onClose} />}
      </ReadForEditing>
    </Window>
  );
}

interface EditKeyFormProps {
  readonly apiKey: rest.ApiKey;
  readonly etag: string | undefined;
  readonly onClose: () => void;
}

interface Draft {
  readonly name: string;
  readonly modelIds: readonly string[];
  readonly grants: GrantsDraft;
  readonly routingPolicyId: string | null;
  readonly allowedRegions: string;
  readonly trustedAttribution: TrustedAttribution;
  readonly responseCache: ResponseCacheMode | null;
  readonly keepBodies: boolean;
  readonly passthroughProviderIds: readonly string[];
  readonly expiry: Expiry | 'unchanged';
}

function EditKeyForm({ apiKey, etag, onClose }: EditKeyFormProps) {
  const { timeZone } = useOrganisation();
  const mayTrust = useMay('organisation.update');
  const client = useRest();
  const say = useToast();
  const [openedMs] = useState(Date.now);
  const form = useForm<Draft, rest.ApiKey>({
    initial: draftOf(apiKey),
    stale: [rest.listApiKeys.id, rest.getApiKey.id, rest.listUsableModels.id],
    send: (draft) =>
      client.call(rest.updateApiKey, {
        params: { organisationId: apiKey.organisationId, apiKeyId: apiKey.id },
        body: bodyOf(draft, openedMs),
        ...(etag === undefined ? {} : { ifMatch: etag }),
      }),
    onDone: () => {
      say('Saved.');
      onClose();
    },
  });
  const { draft, change, error, field } = form;
  return (
    <FormBody
      form={form}
      fields={[
        'name',
        'modelIds',
        'modelGrants',
        'routingPolicyId',
        'allowedRegions',
        'trustedAttribution',
        'responseCache',
        'passthroughProviderIds',
        'expiresAt',
      ]}
      submit="Save"
      onClose={onClose}
    >
      <TextField label="Name" {...field('name')} maxLength={200} />
      <ModelsField
        modelIds={draft.modelIds}
        grants={draft.grants}
        error={error}
        onChange={change}
      />
      <PolicyPicker
        error={fieldError(error, 'routingPolicyId')}
        chosen={draft.routingPolicyId}
        onChange={(routingPolicyId) => change({ routingPolicyId })}
      />
      <RegionsField of="this key" {...field('allowedRegions')} />
      {mayTrust && <AdministeredFields error={error} draft={draft} onChange={change} />}
      <SelectField
        label="Expires"
        error={fieldError(error, 'expiresAt')}
        value={draft.expiry}
        choices={[{ value: 'unchanged', label: expiryNow(apiKey, timeZone) }, ...EXPIRIES]}
        onChange={(expiry) => change({ expiry })}
      />
    </FormBody>
  );
}

function draftOf(apiKey: rest.ApiKey): Draft {
  return {
    name: apiKey.name,
    modelIds: apiKey.modelIds,
    grants: grantsDraftOf(apiKey.modelGrants),
    routingPolicyId: apiKey.routingPolicyId,
    allowedRegions: regionsText(apiKey.allowedRegions),
    trustedAttribution: apiKey.trustedAttribution,
    responseCache: apiKey.responseCache,
    keepBodies: apiKey.keepBodies,
    passthroughProviderIds: apiKey.passthroughProviderIds,
    expiry: 'unchanged',
  };
}

function bodyOf(draft: Draft, openedMs: number) {
  const { name, modelIds, grants, routingPolicyId, allowedRegions, expiry } = draft;
  const { keepBodies, passthroughProviderIds, responseCache, trustedAttribution } = draft;
  return {
    name,
    modelIds: [...modelIds],
    modelGrants: grantsOfDraft(grants),
    routingPolicyId,
    allowedRegions: regionsOf(allowedRegions),
    trustedAttribution,
    responseCache,
    keepBodies,
    passthroughProviderIds: [...passthroughProviderIds],
    ...(expiry === 'unchanged' ? {} : { expiresAt: expiryAt(expiry, openedMs) ?? null }),
  };
}

function expiryNow({ expiresAt }: rest.ApiKey, timeZone: string): string {
  if (expiresAt === null) return 'Never (unchanged)';
  return `${showTime(expiresAt, 'date', timeZone)} (unchanged)`;
}
