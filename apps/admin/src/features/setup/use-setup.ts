'use client';

import { rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { useOrganisation } from '../../shell/scope';
import { COMPLETED, KEYS, MODELS, PROVIDERS } from './queries';
import { setupOf } from './steps';

const REFRESH_MS = 10_000;
/** While the first request is awaited. */
export const AWAIT_MS = 2_000;

/** How far the organisation's set-up is, read from the catalog and renewed by itself. */
export function useSetup(enabled = true) {
  const { id: organisationId } = useOrganisation();
  const params = { organisationId };
  const records = useRead(
    rest.listUsageRecords,
    { params, query: COMPLETED },
    { enabled, refreshMs: AWAIT_MS },
  );
  const live = { enabled, refreshMs: REFRESH_MS };
  const providers = useRead(rest.listProviders, { params, query: PROVIDERS }, live);
  const models = useRead(rest.listModels, { params, query: MODELS }, live);
  const keys = useRead(rest.listApiKeys, { params, query: KEYS }, live);
  const reads = [providers, models, keys, records];
  const loaded =
    providers.data !== undefined &&
    models.data !== undefined &&
    keys.data !== undefined &&
    records.data !== undefined;
  return {
    setup: loaded
      ? setupOf({
          providers: providers.data.data,
          models: models.data.data,
          keys: keys.data.data,
          records: records.data.data,
        })
      : undefined,
    error: reads.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => void Promise.all(reads.map((read) => read.refetch())),
  };
}

export type LoadedSetup = NonNullable<ReturnType<typeof useSetup>['setup']>;
