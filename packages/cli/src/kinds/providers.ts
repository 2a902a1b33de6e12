import { rest } from '@tollgate/contracts';
import { previewOf } from '@tollgate/contracts/node';
import { z } from 'zod';

import { name, pick, secretReference, STORED_SECRET } from './fields';
import type { Kind, Part, PartChange, PartContext, SecretReference, Values } from './kind';

const { name: _name, apiKey: _apiKey, apiKeys: _apiKeys, ...settings } = rest.providerCreate.shape;

const key = z.strictObject({
  name: name.default('default'),
  apiKey: secretReference,
  weight: rest.providerKeyCreate.shape.weight,
  status: z.enum(rest.SWITCH_STATUSES).default('ACTIVE'),
});
type WantedKey = z.output<typeof key>;

const wantedKeys = z.array(key).max(rest.MAX_PROVIDER_KEYS).default([]).meta({
  description: 'Keys that are drained do not count. The n-th of a name is the n-th of that name.',
});

const spec = z.strictObject({ ...settings, apiKeys: wantedKeys });

export function resolved({ resolve }: Pick<PartContext, 'resolve'>, from: SecretReference): string {
  const secret = resolve(from);
  // The plan has checked that every secret that is sent can be read.
  if (secret === undefined) throw new Error('a secret is no longer there');
  return secret;
}

/** The keys in use, in the order of their creation. */
const keysInUse = (row: rest.Provider | undefined): rest.ProviderKey[] =>
  (row?.apiKeys ?? [])
    .filter((one) => one.status !== 'DRAINING')
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));

interface Pairs {
  readonly pairs: readonly { wanted: WantedKey; found: rest.ProviderKey | undefined }[];
  readonly surplus: readonly rest.ProviderKey[];
}

/** The n-th wanted key of a name is the n-th key of that name. */
function pairsOf(spec: Values, row: rest.Provider | undefined): Pairs {
  const surplus = keysInUse(row);
  const pairs = wantedKeys.parse(spec['apiKeys']).map((wanted) => {
    const index = surplus.findIndex((one) => one.name === wanted.name);
    const [found] = index === -1 ? [] : surplus.splice(index, 1);
    return { wanted, found };
  });
  return { pairs, surplus };
}

const apiKeys: Part<rest.Provider> = {
  field: 'apiKeys',
  changes: (spec, row, context) => {
    const { pairs, surplus } = pairsOf(spec, row);
    const changes = pairs.flatMap(({ wanted, found }) =>
      found === undefined ? addition(wanted, context) : turns(wanted, found, context),
    );
    return [...changes, ...surplus.map(removal)];
  },
  unknown: (spec, row, { resolve }) =>
    pairsOf(spec, row).pairs.flatMap(({ wanted: { apiKey }, found }) =>
      found !== undefined && resolve(apiKey) === undefined ? [apiKey] : [],
    ),
};

function addition(wanted: WantedKey, context: PartContext): PartChange[] {
  const { name: keyName, weight, status } = wanted;
  return [
    {
      path: `apiKeys.${keyName}`,
      before: undefined,
      after: { weight, status, apiKey: wanted.apiKey },
      needs: wanted.apiKey,
      run: async (api, params) => {
        const body = { name: keyName, weight, apiKey: resolved(context, wanted.apiKey) };
        const { value } = await api.ask(rest.addProviderKey, { params, body });
        if (status === 'ACTIVE') return;
        const { id: keyId } = rest.providerKey.parse(value);
        await api.ask(rest.updateProviderKey, { params: { ...params, keyId }, body: { status } });
      },
    },
  ];
}

function turns(wanted: WantedKey, found: rest.ProviderKey, context: PartContext): PartChange[] {
  const path = `apiKeys.${found.name}`;
  const changes: PartChange[] = [];
  const { weight, status } = wanted;
  if (weight !== found.weight || status !== found.status) {
    changes.push({
      path,
      before: { weight: found.weight, status: found.status },
      after: { weight, status },
      run: async (api, params) => {
        const body = { weight, status };
        await api.ask(rest.updateProviderKey, { params: { ...params, keyId: found.id }, body });
      },
    });
  }
  const secret = context.resolve(wanted.apiKey);
  if (secret !== undefined && previewOf(secret) !== found.preview) {
    changes.push({
      path: `${path}.apiKey`,
      before: found.preview,
      after: 'another secret; the old key is drained',
      run: async (api, params) => {
        const body = { apiKey: resolved(context, wanted.apiKey), weight };
        await api.ask(rest.rotateProviderKey, { params: { ...params, keyId: found.id }, body });
      },
    });
  }
  return changes;
}

function removal({ id: keyId, name: keyName, preview }: rest.ProviderKey): PartChange {
  return {
    path: `apiKeys.${keyName}`,
    before: preview,
    after: undefined,
    removes: true,
    run: async (api, params) =>
      void (await api.ask(rest.deleteProviderKey, { params: { ...params, keyId } })),
  };
}

export const providers: Kind<rest.Provider> = {
  kind: 'Provider',
  level: 'organisation',
  name,
  repeats: false,
  spec,
  idParameter: 'providerId',
  parts: [apiKeys],
  operations: () => ({
    create: rest.createProvider,
    get: rest.getProvider,
    update: rest.updateProvider,
    remove: rest.deleteProvider,
  }),
  list: (api, { organisation }) =>
    api.all(rest.listProviders, { organisationId: organisation?.id ?? '' }, { sort: 'createdAt' }),
  idOf: (row) => row.id,
  changedAt: (row) => row.updatedAt,
  read: (row) => ({
    name: row.name,
    spec: {
      ...pick(row, Object.keys(settings)),
      apiKeys: keysInUse(row).map((one) => ({
        ...pick(one, ['name', 'weight', 'status']),
        apiKey: STORED_SECRET,
      })),
    },
  }),
  references: () => [],
  body: (given, _ids, providerName) => {
    const { apiKeys: _parts, ...fields } = spec.parse(given);
    return { name: providerName, ...fields };
  },
};
