'use client';

import { rest } from '@tollgate/contracts';
import { useRest } from '../../api/provider';
import { fieldError } from '../../design/field-error';
import { useToast } from '../../design/toast';
import { plural } from '../../format/numbers';
import { FormBody, Window } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';
import { ListPicker } from '../pickers/pickers';

type AssignPolicyProps = { readonly policy: rest.RoutingPolicy; readonly onClose: () => void };

/** One policy for some keys; sent again after a failure, those that have it already just keep it. */
export function AssignPolicy({ policy, onClose }: AssignPolicyProps) {
  const client = useRest();
  const say = useToast();
  const { organisationId, id: routingPolicyId, name } = policy;
  const form = useForm<{ readonly apiKeyIds: readonly string[] }, number>({
    initial: { apiKeyIds: [] },
    stale: [rest.listApiKeys.id, rest.getApiKey.id],
    send: async ({ apiKeyIds }) => {
      for (const apiKeyId of apiKeyIds) {
        const params = { organisationId, apiKeyId };
        await client.call(rest.updateApiKey, { params, body: { routingPolicyId } });
      }
      return apiKeyIds.length;
    },
    onDone: (given) => {
      if (given > 0) say(`${plural(given, 'key')} go by ${name}.`);
      onClose();
    },
  });
  return (
    <Window
      title={`Give ${name} to keys`}
      description="A key has one policy at most: this one takes the place of another."
      onClose={onClose}
    >
      <FormBody form={form} fields={['apiKeyIds']} submit="Give to keys" onClose={onClose}>
        <ListPicker
          of="keys"
          legend="Keys"
          many
          hint="Only candidates that a key is granted are used for it."
          error={fieldError(form.error, 'apiKeyIds')}
          chosen={form.draft.apiKeyIds}
          onChange={(apiKeyIds) => form.change({ apiKeyIds })}
        />
      </FormBody>
    </Window>
  );
}
