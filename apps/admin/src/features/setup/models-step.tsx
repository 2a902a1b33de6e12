'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRest } from '../../api/provider';
import { Button, LinkButton } from '../../design/button';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { useToast } from '../../design/toast';
import { plural } from '../../format/numbers';
import { OtherErrors } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';
import { pageOf } from '../../shell/paths';
import { useScope } from '../../shell/scope';
import { UpstreamFailure } from '../providers/connection-test';
import { importOf, leftOver, toggled, unpricedOf, type Choices } from '../providers/import-draft';
import { ImportList } from '../providers/import-list';
import { ImportResults } from '../providers/import-results';
import { useDiscovery } from '../providers/use-discovery';

/** Lists the provider's models, with those of the list of known models chosen already. */
export function ModelsStep({ provider }: { provider: rest.Provider }) {
  const scope = useScope();
  const { data, error, isFetching, refetch } = useDiscovery(provider);
  const again = (
    <Button look="primary" className="self-start" busy={isFetching} onClick={() => void refetch()}>
      Try again
    </Button>
  );
  if (error !== null) {
    return (
      <>
        <Failure error={error} />
        {again}
      </>
    );
  }
  if (data === undefined) return <SkeletonRows rows={4} label="Loading the provider’s models" />;
  if (!data.ok) {
    return (
      <>
        <div role="alert" className="rounded-md bg-bad-soft px-4 py-3">
          <p className="font-medium text-bad">{provider.name} lists no models</p>
          {data.failure !== null && <UpstreamFailure failure={data.failure} />}
        </div>
        <div className="flex flex-wrap gap-2">
          {again}
          <LinkButton href={pageOf(scope, `providers/${provider.id}`)}>
            Open the provider
          </LinkButton>
        </div>
      </>
    );
  }
  if (data.data.length === 0) {
    return (
      <>
        <p>All models of {provider.name} are imported, and none is on. Turn one on.</p>
        <LinkButton className="self-start" href={pageOf(scope, 'models')}>
          Open models
        </LinkButton>
      </>
    );
  }
  return <Choose provider={provider} discovery={data} />;
}

interface ChooseProps {
  readonly provider: rest.Provider;
  readonly discovery: rest.Discovery;
}

interface Draft {
  readonly choices: Choices;
}

function Choose({ provider, discovery }: ChooseProps) {
  const client = useRest();
  const say = useToast();
  const [refused, setRefused] = useState<rest.ModelImported>();
  const form = useForm<Draft, rest.ModelImported>({
    initial: () => ({ choices: toggled(new Map(), knownNames(discovery), true) }),
    stale: [rest.listModels.id, rest.listGrantableModels.id],
    send: ({ choices }, idempotencyKey) =>
      client.call(rest.importModels, {
        params: { organisationId: provider.organisationId, providerId: provider.id },
        body: { models: importOf(discovery.data, choices) },
        idempotencyKey,
      }),
    onDone: (result) => {
      if (result.refused === 0) return;
      // With a model created, the step is done, and this list is gone.
      if (result.created > 0) say(`${plural(result.refused, 'model')} could not be imported.`);
      setRefused(result);
      form.change({ choices: leftOver(form.draft.choices, result) });
    },
  });
  const { choices } = form.draft;
  const change = (next: Choices): void => form.change({ choices: next });
  const unpriced = unpricedOf(discovery.data, choices).map(({ upstreamModel }) => upstreamModel);
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      <p className="text-ink-soft">
        Models of {provider.name} that applications may use. Models that Tollgate knows are chosen,
        with their prices.
      </p>
      <OtherErrors error={form.error} fields={[]} />
      {refused === undefined ? (
        <ImportList discovery={discovery} choices={choices} onChange={change} />
      ) : (
        <ImportResults
          imported={refused}
          unpriced={new Set(unpriced)}
          choices={choices}
          onChange={change}
        />
      )}
      <Button
        type="submit"
        look="primary"
        className="self-start"
        busy={form.busy}
        disabled={choices.size === 0 || choices.size > rest.IMPORT_MAX_MODELS}
      >
        Import {plural(choices.size, 'model')}
      </Button>
    </form>
  );
}

function knownNames({ data }: rest.Discovery): readonly string[] {
  return data
    .filter(({ known, modelId }) => known !== null && modelId === null)
    .slice(0, rest.IMPORT_MAX_MODELS)
    .map(({ upstreamModel }) => upstreamModel);
}
