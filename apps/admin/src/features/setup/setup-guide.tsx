'use client';

import { vendorByType, type rest } from '@tollgate/contracts';
import { ListChecks } from 'lucide-react';
import Link from 'next/link';
import { useState } from 'react';

import { Empty } from '../../design/empty';
import { Failure } from '../../design/failure';
import { Page } from '../../design/page';
import { SkeletonRows } from '../../design/skeleton';
import { showCost } from '../../format/money';
import { plural } from '../../format/numbers';
import { pageOf } from '../../shell/paths';
import { useMay, useScope } from '../../shell/scope';
import { mayCall } from '../api-keys/useless-key';
import { RecordResult, targetOf } from '../usage/record-columns';
import { KeyStep } from './key-step';
import { ModelsStep } from './models-step';
import { OrganisationStep } from './organisation-step';
import { ProviderStep } from './provider-step';
import { RequestStep } from './request-step';
import { Step, type StepState } from './step';
import { STEPS, type StepId } from './steps';
import { useSetup, type LoadedSetup } from './use-setup';

const DESCRIPTION =
  'From nothing to the first request. Each step is checked by itself, also when it is done elsewhere.';

/** The set-up guide: of an organisation, or before there is one. */
export function SetupGuide() {
  const { organisation } = useScope();
  const maySetUp = useMay('providers.write');
  return (
    <Page title="Set-up guide" description={DESCRIPTION}>
      {!maySetUp && <OnlyAdministrators />}
      {maySetUp && organisation === null && <BeforeOrganisation />}
      {maySetUp && organisation !== null && <OfOrganisation key={organisation.id} />}
    </Page>
  );
}

function OnlyAdministrators() {
  return (
    <Empty icon={ListChecks} title="An administrator sets up the organisation">
      Ask an administrator for a provider, models and an API key.
    </Empty>
  );
}

function BeforeOrganisation() {
  return (
    <ol className="flex flex-col gap-3">
      <Step number={1} title="Create an organisation" state="current">
        <OrganisationStep />
      </Step>
      {STEPS.map(({ id, title }, index) => (
        <Step key={id} number={index + 2} title={title} state="waiting" />
      ))}
    </ol>
  );
}

function OfOrganisation() {
  const { setup, error, refetch } = useSetup();
  const [made, setMade] = useState<rest.ApiKeyWithSecret>();
  if (error !== null && setup === undefined) return <Failure error={error} onRetry={refetch} />;
  if (setup === undefined) return <SkeletonRows rows={4} label="Loading the set-up" />;
  const { done, current } = setup;
  const stateOf = (id: StepId): StepState =>
    done[id] ? 'done' : id === current ? 'current' : 'waiting';
  const part = (id: StepId) =>
    id === current && <Part id={id} setup={setup} made={made} onMade={setMade} />;
  return (
    <>
      {current === undefined && <Complete />}
      <ol className="flex flex-col gap-3">
        {STEPS.map(({ id, title }, index) => (
          <Step
            key={id}
            number={index + 1}
            title={title}
            state={stateOf(id)}
            summary={<Summary id={id} setup={setup} />}
          >
            {part(id)}
          </Step>
        ))}
      </ol>
    </>
  );
}

interface PartProps {
  readonly id: StepId;
  readonly setup: LoadedSetup;
  readonly made: rest.ApiKeyWithSecret | undefined;
  readonly onMade: (made: rest.ApiKeyWithSecret) => void;
}

/** The form of the step that is next. */
function Part({ id, setup, made, onMade }: PartProps) {
  const [provider] = setup.providers;
  switch (id) {
    case 'provider':
      return <ProviderStep taken={setup.names} />;
    case 'models':
      return provider && <ModelsStep provider={provider} />;
    case 'key':
      return <KeyStep models={setup.models.length} useless={setup.uselessKeys} onMade={onMade} />;
    case 'request':
      return <Request setup={setup} made={made} />;
  }
}

const CHATTING: readonly string[] = ['chat', 'reasoning'];

/** With the new key, or the first that may call a model; a model that chats comes first. */
function Request({ setup, made }: Pick<PartProps, 'made' | 'setup'>) {
  const key = setup.keys.find(({ id }) => id === made?.id) ?? setup.keys[0];
  if (key === undefined) return null;
  const callable = setup.models.filter((model) => mayCall(key, model));
  const model = callable.find(({ type }) => CHATTING.includes(type)) ?? callable[0];
  const provider = setup.providers.find(({ id }) => id === model?.providerId);
  if (model === undefined || provider === undefined) return null;
  return (
    <RequestStep
      apiKey={key}
      secret={made?.id === key.id ? made.key : undefined}
      model={model.name}
      providerType={provider.type}
    />
  );
}

const LINK = 'text-accent underline underline-offset-4';

/** What there is of a step that is done. */
function Summary({ id, setup }: { id: StepId; setup: LoadedSetup }) {
  const scope = useScope();
  const { providers, models, keys, served } = setup;
  const [provider] = providers;
  const unpriced = models.filter(({ currentPrice }) => currentPrice === null).length;
  switch (id) {
    case 'provider':
      return (
        <p>
          {provider !== undefined && nameOf(provider)}
          {providers.length > 1 && ` and ${plural(providers.length - 1, 'other')}`}.{' '}
          <Link className={LINK} href={pageOf(scope, 'providers')}>
            Open providers
          </Link>
        </p>
      );
    case 'models':
      return (
        <p>
          {plural(models.length, 'model')}.{' '}
          {unpriced > 0 && (
            <span className="text-warn">
              {unpriced === 1 ? '1 is' : `${String(unpriced)} are`} unpriced: requests cost nothing
              in the books, and those under a budget are refused. Set a price on its page.{' '}
            </span>
          )}
          <Link className={LINK} href={pageOf(scope, 'models')}>
            Open models
          </Link>
        </p>
      );
    case 'key':
      return (
        <p>
          {plural(keys.length, 'key')} may call a model.{' '}
          <Link className={LINK} href={pageOf(scope, 'apikeys')}>
            Open API keys
          </Link>
        </p>
      );
    case 'request':
      return served && <Served record={served} />;
  }
}

/** With its vendor, unless the name says it. */
function nameOf({ name, type }: LoadedSetup['providers'][number]): string {
  const { title } = vendorByType(type);
  return name.startsWith(title) ? name : `${name} (${title})`;
}

/** The newest request that was served. */
function Served({ record }: { record: rest.UsageRecord }) {
  const scope = useScope();
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <RecordResult record={record} />
      <span className="font-medium break-all text-ink">{targetOf(record)}</span>
      <span>{plural(record.tokensIn + record.tokensOut, 'token')}</span>
      <span>{showCost(record.costUsd)}</span>
      <Link className={LINK} href={pageOf(scope, `usage/${record.id}`)}>
        Open the request
      </Link>
    </p>
  );
}

function Complete() {
  const scope = useScope();
  return (
    <p className="rounded-md bg-good-soft px-4 py-3">
      The set-up is complete.{' '}
      <Link className={LINK} href={pageOf(scope, 'budgets')}>
        Set a budget
      </Link>{' '}
      next, so that spending has a limit.
    </p>
  );
}
