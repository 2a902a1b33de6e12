'use client';

import { rest } from '@tollgate/contracts';

import { Button, LinkButton } from '../../design/button';
import { TextField } from '../../design/text-field';
import { plural } from '../../format/numbers';
import { OtherErrors } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { pageOf } from '../../shell/paths';
import { useOrganisation, useScope } from '../../shell/scope';

interface KeyStepProps {
  readonly models: number;
  /** Keys that are active and may call none of these models. */
  readonly useless: readonly Pick<rest.ApiKey, 'id' | 'name'>[];
  readonly onMade: (made: rest.ApiKeyWithSecret) => void;
}

/** Creates a key that may call every model of the organisation. */
export function KeyStep({ models, useless, onMade }: KeyStepProps) {
  const scope = useScope();
  const { id: organisationId } = useOrganisation();
  const form = useSave<{ name: string }, rest.ApiKeyWithSecret>({
    initial: { name: 'First key' },
    stale: [rest.listApiKeys.id],
    send: ({ name }, call) =>
      call(rest.createApiKey, {
        params: { organisationId },
        body: { name, type: 'ORGANISATION', modelGrants: [{ kind: 'ALL' }] },
      }),
    made: ({ name }) => `${name} created.`,
    onSaved: onMade,
  });
  const [first] = useless;
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      <p className="text-ink-soft">
        Applications send it instead of the provider’s key. It may call every model of the
        organisation ({plural(models, 'model')} now), also those added later; you can narrow that
        under API keys.
      </p>
      {first !== undefined && (
        <p className="rounded-md bg-warn-soft px-4 py-3 text-sm text-warn">
          {first.name} may not call any model. Create another key here, or grant it models.{' '}
          <LinkButton size="small" href={pageOf(scope, `apikeys/${first.id}`)}>
            Open {first.name}
          </LinkButton>
        </p>
      )}
      <OtherErrors error={form.error} fields={['name']} />
      <TextField label="Name" {...form.field('name')} maxLength={200} />
      <Button type="submit" look="primary" className="self-start" busy={form.busy}>
        Create key
      </Button>
    </form>
  );
}
