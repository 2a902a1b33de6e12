'use client';

import { rest } from '@tollgate/contracts';
import { useState } from 'react';

import { useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { DialogActions, DialogBody } from '../../design/dialog';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { plural } from '../../format/numbers';
import { OtherErrors, Window } from '../../resource/form-dialog';
import { useForm } from '../../resource/use-form';
import { UpstreamFailure } from './connection-test';
import { importOf, leftOver, unpricedOf, type Choices } from './import-draft';
import { ImportList } from './import-list';
import { ImportResults } from './import-results';
import { ListNote } from './list-note';
import { useDiscovery } from './use-discovery';

interface ImportModelsProps {
  readonly provider: rest.Provider;
  readonly onClose: () => void;
}

/** Lists the upstream's models and imports the selected ones. */
export function ImportModels({ provider, onClose }: ImportModelsProps) {
  const { data, error, isFetching, refetch } = useDiscovery(provider);
  const again = (
    <DialogActions>
      <Button onClick={onClose}>Close</Button>
      <Button look="primary" busy={isFetching} onClick={() => void refetch()}>
        Try again
      </Button>
    </DialogActions>
  );
  return (
    <Window
      title={`Import models of ${provider.name}`}
      description="Models that the upstream lists and the organisation does not have yet."
      wide
      onClose={onClose}
    >
      {error === null && data === undefined && (
        <SkeletonRows rows={6} label="Loading the models of the upstream" />
      )}
      {error !== null && (
        <>
          <DialogBody>
            <Failure error={error} />
          </DialogBody>
          {again}
        </>
      )}
      {error === null && data !== undefined && !data.ok && (
        <>
          <DialogBody>
            <div role="alert" className="rounded-md bg-bad-soft px-4 py-3">
              <p className="font-medium text-bad">The upstream lists no models</p>
              {data.failure !== null && <UpstreamFailure failure={data.failure} />}
            </div>
          </DialogBody>
          {again}
        </>
      )}
      {error === null && data !== undefined && data.ok && (
        <Choose provider={provider} discovery={data} onClose={onClose} />
      )}
    </Window>
  );
}

type ChooseProps = ImportModelsProps & { readonly discovery: rest.Discovery };

interface Draft {
  readonly choices: Choices;
}

function Choose({ provider, discovery, onClose }: ChooseProps) {
  const client = useRest();
  const [imported, setImported] = useState<rest.ModelImported>();
  // Of all imports in this window: a refused name is imported again.
  const [unpriced, setUnpriced] = useState<ReadonlySet<string>>(new Set());
  const form = useForm<Draft, rest.ModelImported>({
    initial: { choices: new Map() },
    stale: [rest.listModels.id, rest.listGrantableModels.id],
    send: ({ choices }, idempotencyKey) =>
      client.call(rest.importModels, {
        params: { organisationId: provider.organisationId, providerId: provider.id },
        body: { models: importOf(discovery.data, choices) },
        idempotencyKey,
      }),
    onDone: (result) => {
      setImported(result);
      const without = unpricedOf(discovery.data, form.draft.choices);
      setUnpriced(new Set(without.map(({ upstreamModel }) => upstreamModel)));
      form.change({ choices: leftOver(form.draft.choices, result) });
    },
  });
  const { choices } = form.draft;
  const done = imported !== undefined && imported.refused === 0;
  return (
    <form onSubmit={form.submit} noValidate className="flex min-h-0 flex-col">
      <DialogBody>
        <OtherErrors error={form.error} fields={[]} />
        {imported === undefined && <ListNote provider={provider} />}
        {imported === undefined ? (
          <ImportList
            discovery={discovery}
            choices={choices}
            onChange={(next) => form.change({ choices: next })}
          />
        ) : (
          <ImportResults
            imported={imported}
            unpriced={unpriced}
            choices={choices}
            onChange={(next) => form.change({ choices: next })}
          />
        )}
      </DialogBody>
      <DialogActions>
        {done ? (
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{imported === undefined ? 'Cancel' : 'Close'}</Button>
            <Button
              type="submit"
              look="primary"
              busy={form.busy}
              disabled={choices.size === 0 || choices.size > rest.IMPORT_MAX_MODELS}
            >
              {imported === undefined ? `Import ${plural(choices.size, 'model')}` : 'Import again'}
            </Button>
          </>
        )}
      </DialogActions>
    </form>
  );
}
