import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { create, get, revoke, rotate, update } from './api-keys';
import { listGrantableModels } from './grantable-models';
import { getModels, setModels } from './key-models';
import { listRefusals } from './key-refusals';
import { list } from './list-api-keys';
import { createPlaygroundKey } from './playground-key';
import { listUsableModels } from './usable-models';

export const apiKeyRoutes: Route[] = [
  serve(rest.listApiKeys, list),
  serve(rest.createApiKey, create),
  serve(rest.getApiKey, get),
  serve(rest.updateApiKey, update),
  serve(rest.revokeApiKey, revoke),
  serve(rest.rotateApiKey, rotate),
  serve(rest.getApiKeyModels, getModels),
  serve(rest.setApiKeyModels, setModels),
  serve(rest.listApiKeyRefusals, listRefusals),
  serve(rest.listUsableModels, listUsableModels),
  serve(rest.createPlaygroundKey, createPlaygroundKey),
  serve(rest.listGrantableModels, listGrantableModels),
];
