'use client';

import { useQuery } from '@tanstack/react-query';
import { rest } from '@tollgate/contracts';
import { CircleAlert, CircleCheck } from 'lucide-react';

import { useRest } from '../../api/provider';
import { Button } from '../../design/button';
import { DialogActions, DialogBody } from '../../design/dialog';
import { Failure } from '../../design/failure';
import { SkeletonRows } from '../../design/skeleton';
import { plural, showDuration } from '../../format/numbers';
import { Window } from '../../resource/form-dialog';
import { useOrganisation } from '../../shell/scope';
import { ListNote } from './list-note';

interface ConnectionTestProps {
  readonly provider: Pick<rest.Provider, 'id' | 'name' | 'type' | 'upstreamFormat'>;
  /** The only key that is tried; without it every active one. */
  readonly providerKey?: Pick<rest.ProviderKey, 'id' | 'name'>;
  /** Where a setting that is wrong is corrected. */
  readonly onEdit: () => void;
  readonly onClose: () => void;
}

/** Asks the upstream with what is saved, as soon as it is opened. */
export function ConnectionTest(props: ConnectionTestProps) {
  const { provider, providerKey, onEdit, onClose } = props;
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [rest.testProvider.id, provider.id, providerKey?.id],
    queryFn: () =>
      client.call(rest.testProvider, {
        params: { organisationId, providerId: provider.id },
        body: providerKey === undefined ? {} : { keyId: providerKey.id },
      }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const settings = data?.results.some(
    ({ failure }) => failure !== null && failure.field !== null && failure.field !== 'apiKey',
  );
  return (
    <Window
      title={`Test ${provider.name}`}
      description={
        providerKey === undefined
          ? 'Asks the upstream for its models with every active key. It changes nothing.'
          : `Asks the upstream for its models with the key ${providerKey.name}. It changes nothing.`
      }
      onClose={onClose}
    >
      <DialogBody>
        {error !== null && <Failure error={error} />}
        {error === null && isFetching && <SkeletonRows rows={2} label="Loading the test results" />}
        {error === null && !isFetching && data !== undefined && (
          <>
            <TestResults results={data.results} />
            {data.ok && <ListNote provider={provider} />}
          </>
        )}
      </DialogBody>
      <DialogActions>
        {settings === true && <Button onClick={onEdit}>Edit settings</Button>}
        <Button busy={isFetching} onClick={() => void refetch()}>
          Test again
        </Button>
        <Button look="primary" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </Window>
  );
}

/** What came of each key. */
export function TestResults({ results }: { results: readonly rest.KeyTest[] }) {
  return (
    <ul role="status" className="flex flex-col gap-2">
      {results.map((result) => (
        <li key={result.keyId ?? 'unsaved'}>
          <TestResult result={result} />
        </li>
      ))}
    </ul>
  );
}

export function TestResult({ result }: { result: rest.KeyTest }) {
  const { ok, keyName, latencyMs, models, failure } = result;
  if (ok) {
    return (
      <div className="flex gap-3 rounded-md bg-good-soft px-4 py-3">
        <CircleCheck className="mt-0.5 size-4 shrink-0 text-good" aria-hidden />
        <div className="min-w-0">
          <p className="font-medium break-words text-good">
            {keyName === null ? 'Connection works' : `${keyName} works`}
          </p>
          <p className="text-sm text-ink-soft">
            Response in {showDuration(latencyMs)}
            {models !== null && ` with ${plural(models, 'model')}`}.
          </p>
        </div>
      </div>
    );
  }
  return (
    <div className="flex gap-3 rounded-md bg-bad-soft px-4 py-3">
      <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-hidden />
      <div className="min-w-0">
        <p className="font-medium break-words text-bad">
          {keyName === null ? 'Connection failed' : `${keyName} does not work`}
        </p>
        {failure !== null && <UpstreamFailure failure={failure} />}
      </div>
    </div>
  );
}

/** Why an upstream does not serve us, and which setting to look at. */
export function UpstreamFailure({ failure }: { failure: rest.UpstreamFailure }) {
  const { code, field, message, status } = failure;
  return (
    <>
      <p className="text-sm break-words">{message}</p>
      {code !== 'not_testable' && (
        <p className="text-sm text-ink-soft">
          {field === null
            ? 'The settings look correct. Try again later.'
            : `Check: ${FIELD_WORDS[field]}.`}
        </p>
      )}
      <p className="mt-1 font-mono text-xs break-all text-ink-soft">
        {code}
        {status !== null && ` · HTTP ${String(status)}`}
      </p>
    </>
  );
}

export const FIELD_WORDS: Readonly<Record<rest.ProviderField, string>> = {
  apiKey: 'the key',
  apiVersion: 'API version',
  baseUrl: 'Base URL',
  connectTimeoutMs: 'connect timeout',
  upstreamFormat: 'Format',
};
