'use client';

import { useQuery } from '@tanstack/react-query';
import { rest } from '@tollgate/contracts';
import Link from 'next/link';

import { useRead, useRest } from '../../api/provider';
import type { Versioned } from '../../api/rest-client';
import { Button } from '../../design/button';
import { Card } from '../../design/card';
import { Facts } from '../../design/facts';
import { Failure } from '../../design/failure';
import { Page } from '../../design/page';
import { SkeletonRows } from '../../design/skeleton';
import { When } from '../../design/when';
import { OtherErrors } from '../../resource/form-dialog';
import { useSave } from '../../resource/use-save';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { settingsBody, settingsDraft, type SettingsDraft } from './draft';
import { KeptAnswers } from './kept-answers';
import { KeptBodies } from './kept-bodies';
import { McpSignIn } from './mcp-sign-in';
import { SETTING_FIELDS, SettingFields } from './setting-fields';

/** The organisation's settings, read-only without permission. */
export function Settings() {
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const mayWrite = useMay('organisation.update');
  const { data, error, refetch } = useQuery({
    queryKey: [`${rest.getOwnOrganisation.id} for editing`, organisationId],
    queryFn: ({ signal }) =>
      client.versioned(rest.getOwnOrganisation, { params: { organisationId }, signal }),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <Page title="Settings" description="How the gateway serves this organisation.">
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows label="Loading the settings" />}
      {data !== undefined && <SettingsForm key={data.etag} read={data} onSaved={refetch} />}
      {mayWrite && <McpSignIn />}
      {mayWrite && data?.value.responseCache !== undefined && <KeptAnswers />}
      {mayWrite && data !== undefined && (
        <KeptBodies keeps={data.value.keepRequestBodies || data.value.keepAnswerBodies} />
      )}
      <About />
    </Page>
  );
}

interface SettingsFormProps {
  readonly read: Versioned<rest.Organisation>;
  readonly onSaved: () => Promise<unknown>;
}

function SettingsForm({ read: { value, etag }, onSaved }: SettingsFormProps) {
  const scope = useScope();
  const mayWrite = useMay('organisation.update');
  const form = useSave<SettingsDraft, rest.Organisation>({
    initial: settingsDraft(value),
    known: { etag },
    stale: [
      rest.getOwnOrganisation.id,
      rest.getKeptBodiesTotal.id,
      rest.getMe.id,
      rest.listOrganisations.id,
    ],
    send: (draft, call) =>
      call(rest.updateOwnOrganisation, {
        params: { organisationId: value.id },
        body: settingsBody(draft),
      }),
    onSaved: () => void onSaved(),
  });
  return (
    <Card title="Organisation">
      <form onSubmit={form.submit} noValidate className="flex max-w-xl flex-col gap-4">
        <OtherErrors error={form.error} fields={SETTING_FIELDS} />
        <SettingFields
          draft={form.draft}
          error={form.error}
          disabled={!mayWrite}
          onChange={form.change}
        />
        {mayWrite && (
          <div>
            <Button type="submit" look="primary" busy={form.busy}>
              Save
            </Button>
          </div>
        )}
      </form>
      <p className="mt-4 text-sm text-ink-soft">
        Create routing policies and assign them to keys under{' '}
        <Link href={pageOf(scope, 'routing')} className="text-accent underline underline-offset-4">
          Routing policies
        </Link>
        .
      </p>
    </Card>
  );
}

function About() {
  const { id: organisationId, slug, timeZone } = useOrganisation();
  const { data } = useRead(rest.getOwnOrganisation, { params: { organisationId } });
  return (
    <Card title="About">
      <Facts
        facts={[
          { name: 'Slug', value: <code className="font-mono text-sm">{slug}</code> },
          { name: 'Id', value: <code className="font-mono text-sm">{organisationId}</code> },
          {
            name: 'Created',
            value: data && <When instant={data.createdAt} timeZone={timeZone} />,
          },
        ]}
      />
    </Card>
  );
}
