import { rest } from '@tollgate/contracts';
import { serve, type Route } from '../../rest/call';
import type { ProviderDeps } from './find-provider';
import { addKey, listKeys, removeKey, updateKey } from './provider-keys';
import { create, get, list, remove, update } from './providers';

export function createProviderRoutes(deps: ProviderDeps): Route[] {
  return [
    serve(rest.listProviders, list),
    serve(rest.createProvider, (call) => create(call, deps)),
    serve(rest.getProvider, get),
    serve(rest.updateProvider, (call) => update(call, deps)),
    serve(rest.deleteProvider, remove),
    serve(rest.listProviderKeys, listKeys),
    serve(rest.addProviderKey, (call) => addKey(call, deps)),
    serve(rest.updateProviderKey, updateKey),
    serve(rest.deleteProviderKey, removeKey),
  ];
}
