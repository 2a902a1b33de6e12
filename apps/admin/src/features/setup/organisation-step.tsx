'use client';

import { rest } from '@tollgate/contracts';
import { useRouter } from 'next/navigation';

import { useRead } from '../../api/provider';
import { Button, LinkButton } from '../../design/button';
import { TextField } from '../../design/text-field';
import { ownTimeZone } from '../../format/time';
import { OtherErrors } from '../../resource/form-dialog';
import { createdText, useSave } from '../../resource/use-save';
import { pageIn } from '../../shell/paths';
import { slugOf } from '../organisations/slug';
import { NEW_SETTINGS, settingsBody } from '../settings/draft';

const CHOICES = { sort: 'name', limit: 20 } as const;

/** Creates the organisation that the guide sets up, or takes one that exists. */
export function OrganisationStep() {
  const router = useRouter();
  const { data } = useRead(rest.listOrganisations, { query: CHOICES });
  const guideOf = (slug: string): string => pageIn({ organisation: null }, 'setup', slug);
  const form = useSave<{ name: string }, rest.Organisation>({
    initial: { name: '' },
    stale: [rest.listOrganisations.id],
    send: ({ name }, call) =>
      call(rest.createOrganisation, {
        body: {
          ...settingsBody({ ...NEW_SETTINGS, name, timeZone: ownTimeZone() }),
          slug: slugOf(name),
        },
      }),
    made: createdText,
    onSaved: ({ slug }) => router.push(guideOf(slug)),
  });
  const organisations = data?.data ?? [];
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      <p className="text-ink-soft">
        It holds providers, models, keys, limits and usage. Its days begin at midnight in{' '}
        <span suppressHydrationWarning>{ownTimeZone()}</span>; you can change that in its settings.
      </p>
      <OtherErrors error={form.error} fields={['name']} />
      <TextField label="Name" {...form.field('name')} maxLength={200} />
      <Button type="submit" look="primary" className="self-start" busy={form.busy}>
        Create organisation
      </Button>
      {organisations.length > 0 && (
        <div className="flex flex-col items-start gap-2">
          <p className="text-ink-soft">Or set up one that exists:</p>
          <ul className="flex flex-wrap gap-2">
            {organisations.map(({ id, name, slug }) => (
              <li key={id}>
                <LinkButton size="small" href={guideOf(slug)}>
                  {name}
                </LinkButton>
              </li>
            ))}
          </ul>
        </div>
      )}
    </form>
  );
}
