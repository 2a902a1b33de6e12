'use client';

import { rest } from '@tollgate/contracts';
import { Circle, CircleCheck } from 'lucide-react';

import { useRead } from '../../api/provider';
import { Button, LinkButton } from '../../design/button';
import { Card } from '../../design/card';
import { useStored } from '../../design/use-stored';
import { pageOf, paths } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { NEWEST } from '../organisations/queries';
import { COMPLETED } from './queries';
import { STEPS } from './steps';
import { useSetup } from './use-setup';

/**
 * On the dashboard until the first request is served or the card is dismissed. The guide itself
 * stays in the account menu.
 */
export function SetupCard() {
  const { id: organisationId } = useOrganisation();
  const maySetUp = useMay('providers.write');
  const [dismissed, setDismissed] = useStored(`tollgate.setup.dismissed.${organisationId}`);
  const { data } = useRead(
    rest.listUsageRecords,
    { params: { organisationId }, query: COMPLETED },
    { enabled: maySetUp },
  );
  const wanted = maySetUp && dismissed === undefined && data?.data.length === 0;
  if (!wanted) return null;
  return <Progress onDismiss={() => setDismissed('yes')} />;
}

function Progress({ onDismiss }: { onDismiss: () => void }) {
  const scope = useScope();
  const { setup } = useSetup();
  if (setup === undefined || setup.current === undefined) return null;
  return (
    <Card
      title="Set up the organisation"
      hint="to the first request"
      action={
        <>
          <Button size="small" onClick={onDismiss}>
            Dismiss
          </Button>
          <LinkButton size="small" look="primary" href={pageOf(scope, 'setup')}>
            Open the set-up guide
          </LinkButton>
        </>
      }
    >
      <ol className="grid gap-2 sm:grid-cols-2 lg:grid-cols-4">
        {STEPS.map(({ id, title }) => (
          <li key={id} className="flex items-center gap-2 text-sm">
            {setup.done[id] ? (
              <CircleCheck className="size-4 shrink-0 text-good" aria-hidden />
            ) : (
              <Circle className="size-4 shrink-0 text-ink-faint" aria-hidden />
            )}
            <span>
              {title}
              <span className="sr-only">{setup.done[id] ? ': done' : ': not done'}</span>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** On the platform's dashboard while there is no organisation. */
export function PlatformSetupCard() {
  const mayCreate = useMay('platform.organisations.write');
  const { data } = useRead(rest.listOrganisations, { query: NEWEST });
  if (!mayCreate || data?.data.length !== 0) return null;
  return (
    <Card title="Start here">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-ink-soft">
          The set-up guide leads from an empty installation to the first request: an organisation, a
          provider, models with prices, a key.
        </p>
        <LinkButton look="primary" href={paths.platform('setup')}>
          Start the set-up guide
        </LinkButton>
      </div>
    </Card>
  );
}
