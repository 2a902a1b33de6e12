'use client';

import { MODEL_TYPES, rest } from '@tollgate/contracts';
import { Boxes, FileUp, Power } from 'lucide-react';
import { useMemo, useState } from 'react';

import { useRead, useRest } from '../../api/provider';
import { Button, LinkButton } from '../../design/button';
import { plural } from '../../format/numbers';
import type { BulkAction } from '../../resource/bulk';
import type { Filter } from '../../resource/filters';
import { ListPage } from '../../resource/list-page';
import { sourceOf } from '../../resource/source';
import { pageOf } from '../../shell/paths';
import { useMay, useOrganisation, useScope } from '../../shell/scope';
import { useModelColumns } from './columns';
import {
  modelActions,
  ModelWindows,
  TURNED_OFF,
  TURNED_ON,
  type ModelWindow,
} from './model-actions';
import { PROVIDERS_QUERY } from './queries';

/** The organisation's models with their prices. */
export function Models() {
  const scope = useScope();
  const { id: organisationId } = useOrganisation();
  const client = useRest();
  const mayWrite = useMay('models.write');
  const providers = useProviderNames();
  const columns = useModelColumns(providers);
  const [window, setWindow] = useState<ModelWindow>();
  const turn = (status: rest.Model['status']): BulkAction<rest.ListedModel> => ({
    label: status === 'ACTIVE' ? 'Turn on' : 'Turn off',
    icon: Power,
    title: (count) => `Turn ${status === 'ACTIVE' ? 'on' : 'off'} ${plural(count, 'model')}?`,
    done: (count) => `${plural(count, 'model')} turned ${status === 'ACTIVE' ? 'on' : 'off'}.`,
    consequence: status === 'ACTIVE' ? TURNED_ON : TURNED_OFF,
    applies: (model) => model.status !== status,
    run: ({ id: modelId }) =>
      client.call(rest.updateModel, { params: { organisationId, modelId }, body: { status } }),
  });
  return (
    <ListPage
      title="Models"
      description="Models that keys can be granted, under the names that requests use."
      create={mayWrite && { label: 'Create model', onSelect: () => setWindow({ open: 'create' }) }}
      buttons={
        mayWrite && (
          <Button onClick={() => setWindow({ open: 'import' })}>
            <FileUp aria-hidden />
            Import prices
          </Button>
        )
      }
      source={sourceOf(rest.listModels, { organisationId })}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      search="Search name"
      filters={[
        { name: 'type', label: 'Type', any: 'Any type', values: MODEL_TYPES },
        ...providerFilter(providers),
        { name: 'status', label: 'Status', any: 'On or off', values: rest.SWITCH_STATUSES },
      ]}
      actions={mayWrite && ((model) => modelActions({ model, client, open: setWindow }))}
      bulk={mayWrite && [turn('DISABLED'), turn('ACTIVE')]}
      empty={{
        icon: Boxes,
        title: 'No models yet',
        text: mayWrite
          ? 'Models belong to a provider. Open a provider to import its models, or create a model here.'
          : 'An administrator can add models.',
        action: mayWrite && (
          <LinkButton look="primary" href={pageOf(scope, 'providers')}>
            Open providers
          </LinkButton>
        ),
      }}
    >
      <ModelWindows window={window} onClose={() => setWindow(undefined)} />
    </ListPage>
  );
}

/** Provider names by id; undefined when the user may not know them. */
function useProviderNames(): ReadonlyMap<string, string> | undefined {
  const { id: organisationId } = useOrganisation();
  const mayRead = useMay('providers.read');
  const { data } = useRead(
    rest.listProviders,
    { params: { organisationId }, query: PROVIDERS_QUERY },
    { enabled: mayRead },
  );
  return useMemo(
    () => (mayRead ? new Map(data?.data.map(({ id, name }) => [id, name])) : undefined),
    [data, mayRead],
  );
}

function providerFilter(names: ReadonlyMap<string, string> | undefined): readonly Filter[] {
  if (names === undefined || names.size === 0) return [];
  return [
    {
      name: 'providerId',
      label: 'Provider',
      any: 'Any provider',
      values: [...names.keys()],
      wordOf: (id) => names.get(id) ?? id,
    },
  ];
}
