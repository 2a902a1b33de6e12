import { rest } from '@tollgate/contracts';

import { serve, serveDetached, type Route } from '../../rest/call';
import { discover } from './discover-models';
import type { ProviderDeps } from './find-provider';
import { importModels } from './import-models';
import { addKey, getKey, listKeys, removeKey, rotateKey, updateKey } from './provider-keys';
import { create, get, list, remove, update } from './providers';
import { testDraft, testProvider } from './try-provider';

export function createProviderRoutes(deps: ProviderDeps): Route[] {
  return [
    serve(rest.listProviders, list),
    serve(rest.createProvider, (call) => create(call, deps)),
    serve(rest.getProvider, get),
    serve(rest.updateProvider, (call) => update(call, deps)),
    serve(rest.deleteProvider, remove),
    serve(rest.listProviderKeys, listKeys),
    serve(rest.addProviderKey, (call) => addKey(call, deps)),
    serve(rest.getProviderKey, getKey),
    serve(rest.updateProviderKey, updateKey),
    serve(rest.rotateProviderKey, (call) => rotateKey(call, deps)),
    serve(rest.deleteProviderKey, removeKey),
    serveDetached(rest.testProviderDraft, (call) => testDraft(call, deps)),
    serveDetached(rest.testProvider, (call) => testProvider(call, deps)),
    serveDetached(rest.discoverModels, (call) => discover(call, deps)),
    serve(rest.importModels, importModels),
  ];
}
