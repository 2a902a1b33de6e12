'use client';

import { rest } from '@tollgate/contracts';

import { fieldError } from '../../design/field-error';
import { plural } from '../../format/numbers';
import { FormBody, Window } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { ListPicker } from '../pickers/pickers';

interface AssignPolicyProps {
  readonly policy: rest.RoutingPolicy;
  readonly onClose: () => void;
}

/** Assigns a policy to keys. After a failure it can be sent again; keys that have it keep it. */
export function AssignPolicy({ policy, onClose }: AssignPolicyProps) {
  const { organisationId, id: routingPolicyId, name } = policy;
  const form = useSave<{ readonly apiKeyIds: readonly string[] }, number>({
    initial: { apiKeyIds: [] },
    // Ignores other changes of the keys: they get the policy anyway.
    known: { etag: undefined },
    stale: [rest.listApiKeys.id, rest.getApiKey.id],
    send: async ({ apiKeyIds }, call) => {
      for (const apiKeyId of apiKeyIds) {
        const params = { organisationId, apiKeyId };
        await call(rest.updateApiKey, { params, body: { routingPolicyId } });
      }
      return apiKeyIds.length;
    },
    changed: (given) =>
      given === 0 ? 'No key was selected.' : `${name} assigned to ${plural(given, 'key')}.`,
    onClose,
  });
  return (
    <Window
      title={`Assign ${name} to keys`}
      description="A key has at most one policy. This one replaces its current policy."
      onClose={onClose}
    >
      <FormBody form={form} fields={['apiKeyIds']} submit="Assign to keys" onClose={onClose}>
        <ListPicker
          of="keys"
          legend="Keys"
          many
          hint="A key uses only the candidates that it is granted."
          error={fieldError(form.error, 'apiKeyIds')}
          chosen={form.draft.apiKeyIds}
          onChange={(apiKeyIds) => form.change({ apiKeyIds })}
        />
      </FormBody>
    </Window>
  );
}
