import { apiKeyWithSecret } from './api-keys';
import { endpoint } from './endpoint';

export const createPlaygroundKey = endpoint({
  id: 'createPlaygroundKey',
  tag: 'API keys',
  summary: "Create a USER key with the caller's grants that expires after 15 minutes",
  method: 'POST',
  path: '/api/organisations/:organisationId/playground-key',
  access: 'playground.use',
  response: apiKeyWithSecret,
  status: 201,
  secret: true,
});
