import type { Params } from './object-ids';

const NOBODY = '019aa000-0000-7000-8000-000000000000';

/** Valid bodies of the endpoints that change one object. */
export const BODIES: Readonly<Record<string, unknown>> = {
  updateOrganisation: { name: 'x' },
  updateOwnOrganisation: { name: 'x' },
  updateTeam: { name: 'x' },
  addTeamMember: { userId: NOBODY },
  updateTeamMember: { role: 'MEMBER' },
  updateUser: { name: 'x' },
  setUserPassword: { password: 'a long enough password' },
  updatePlatformUser: { name: 'x' },
  setPlatformUserPassword: { password: 'a long enough password' },
  updateProvider: { name: 'x' },
  addProviderKey: { apiKey: 'sk-another-secret' },
  updateProviderKey: { name: 'x' },
  rotateProviderKey: { apiKey: 'sk-another-secret' },
  testProvider: {},
  discoverModels: {},
  importModels: { models: [{ upstreamModel: 'x' }] },
  updateModel: { upstreamModel: 'x' },
  updateModelAlias: { displayName: 'x' },
  updateExperiment: { status: 'PAUSED' },
  updateUsageView: { parameters: { group: 'team' } },
  approvePriceCorrection: {},
  declinePriceCorrection: { answer: 'the price was right' },
  addPrice: { steps: [{ input: '1', output: '1' }] },
  offerCorrection: {
    from: '2026-01-01T00:00:00Z',
    price: { steps: [{ input: '1', output: '1' }] },
  },
  updateMcpServer: { name: 'x' },
  addMcpGrants: { apiKeyIds: [NOBODY] },
  setApiKeyMcpServers: { mcpServerIds: [] },
  updateApiKey: { name: 'x' },
  setApiKeyModels: { modelIds: [] },
  updateBudget: { limitUsd: '1' },
  updateQuota: { limit: 1 },
  updateRateLimit: { requestsPerMinute: 1 },
  updateSettings: { routingEnabled: true },
  setMcpSignIn: { issuer: 'https://id.example', rules: [] },
  voidInvoice: { reason: 'x' },
  updateRoutingPolicy: { retries: 1 },
  updateScreeningPolicy: { name: 'x' },
  updateScreeningService: { name: 'x' },
  updateExportDestination: { name: 'x' },
  updatePlatformExportDestination: { name: 'x' },
  updateAlertDestination: { name: 'x' },
  updateAlertRule: { name: 'x' },
};

const key = { name: 'a key', type: 'ORGANISATION' };
const ending = { sunsetAt: '2030-01-01T00:00:00Z' };
const alertRule = { name: 'a rule', condition: { kind: 'BUDGET_USED' } };
const budget = { period: 'DAILY', limitUsd: '1' };
const quota = { metric: 'REQUESTS', windowSeconds: 3_600, limit: 1 };

/**
 * Bodies with every id that an endpoint's body can hold, valid when the id is of the caller's
 * organisation. By endpoint, then by the id's place as errors name it.
 */
export const NAMING: Readonly<
  Record<string, Readonly<Record<string, (ids: Params, own: Params) => Record<string, unknown>>>>
> = {
  setMcpSignIn: {
    'rules[].apiKeyId': ({ apiKeyId }) => ({
      issuer: 'https://id.example',
      rules: [{ value: '*', apiKeyId }],
    }),
  },
  createInvitation: {
    'teamIds[]': ({ teamId }) => ({ email: 'new@example.com', teamIds: [teamId] }),
    organisationId: ({ organisationId }) => ({ email: 'new@example.com', organisationId }),
  },
  addTeamMember: { userId: ({ userId }) => ({ userId }) },
  createPlatformUser: {
    organisationId: ({ organisationId }) => ({
      email: 'new@example.com',
      name: 'x',
      password: 'a long enough password',
      role: 'USER',
      organisationId,
    }),
  },
  testProvider: { keyId: ({ keyId }) => ({ keyId }) },
  discoverModels: { keyId: ({ keyId }) => ({ keyId }) },
  createModel: {
    providerId: ({ providerId }) => ({
      name: 'another',
      providerId,
      prices: [{ steps: [{ input: '1', output: '1' }] }],
    }),
    'retirement.replacementModelId': ({ providerId, modelId }) => ({
      name: 'ending',
      providerId,
      retirement: { ...ending, replacementModelId: modelId },
    }),
  },
  updateModel: {
    providerId: ({ providerId }) => ({ providerId }),
    'retirement.replacementModelId': ({ modelId }) => ({
      retirement: { ...ending, replacementModelId: modelId },
    }),
  },
  createModelAlias: {
    'targets[].modelId': ({ modelId }) => ({ name: 'fast', targets: [{ modelId }] }),
    'retirement.replacementModelId': ({ modelId }) => ({
      name: 'slow',
      targets: [{ modelId }],
      retirement: { ...ending, replacementModelId: modelId },
    }),
  },
  updateModelAlias: {
    'targets[].modelId': ({ modelId }) => ({ targets: [{ modelId }] }),
    'retirement.replacementModelId': ({ modelId }) => ({
      retirement: { ...ending, replacementModelId: modelId },
    }),
  },
  createExperiment: {
    'arms[].modelId': ({ modelId }) => ({
      name: 'foreign',
      model: 'assistant',
      arms: [{ name: 'a', modelId, share: 100 }],
    }),
    'shadow.modelId': ({ modelId }, own) => ({
      name: 'foreign',
      model: 'assistant',
      arms: [{ name: 'a', modelId: own.modelId, share: 100 }],
      shadow: { modelId, samplePercent: 5, dailyUsd: '1' },
    }),
  },
  updateExperiment: {
    'arms[].modelId': ({ modelId }) => ({ arms: [{ name: 'b', modelId, share: 100 }] }),
    'shadow.modelId': ({ modelId }) => ({
      shadow: { modelId, samplePercent: 5, dailyUsd: '1' },
    }),
  },
  addMcpGrants: {
    'apiKeyIds[]': ({ apiKeyId }) => ({ apiKeyIds: [apiKeyId] }),
    'teamIds[]': ({ teamId }) => ({ teamIds: [teamId] }),
  },
  setApiKeyMcpServers: {
    'mcpServerIds[]': ({ mcpServerId }) => ({ mcpServerIds: [mcpServerId] }),
    'grants[].mcpServerId': ({ mcpServerId }) => ({ grants: [{ mcpServerId }] }),
  },
  createApiKey: {
    'modelIds[]': ({ modelId }) => ({ ...key, modelIds: [modelId] }),
    'modelGrants[].providerId': ({ providerId }) => ({
      ...key,
      modelGrants: [{ kind: 'PROVIDER', providerId }],
    }),
    'mcpServerIds[]': ({ mcpServerId }) => ({ ...key, mcpServerIds: [mcpServerId] }),
    'mcpGrants[].mcpServerId': ({ mcpServerId }) => ({ ...key, mcpGrants: [{ mcpServerId }] }),
    'passthroughProviderIds[]': ({ providerId }) => ({
      ...key,
      passthroughProviderIds: [providerId],
    }),
    teamId: ({ teamId }) => ({ ...key, type: 'TEAM', teamId }),
    userId: ({ userId }) => ({ ...key, type: 'USER', userId }),
    routingPolicyId: ({ routingPolicyId }) => ({ ...key, routingPolicyId }),
  },
  updateApiKey: {
    'modelIds[]': ({ modelId }) => ({ modelIds: [modelId] }),
    'modelGrants[].providerId': ({ providerId }) => ({
      modelGrants: [{ kind: 'PROVIDER', providerId }],
    }),
    'mcpServerIds[]': ({ mcpServerId }) => ({ mcpServerIds: [mcpServerId] }),
    'mcpGrants[].mcpServerId': ({ mcpServerId }) => ({ mcpGrants: [{ mcpServerId }] }),
    'passthroughProviderIds[]': ({ providerId }) => ({ passthroughProviderIds: [providerId] }),
    routingPolicyId: ({ routingPolicyId }) => ({ routingPolicyId }),
  },
  setApiKeyModels: { 'modelIds[]': ({ modelId }) => ({ modelIds: [modelId] }) },
  createBudget: {
    'scope.id': ({ teamId }) => ({ ...budget, scope: { type: 'TEAM', id: teamId } }),
  },
  createQuota: {
    'scope.id': ({ apiKeyId }) => ({ ...quota, scope: { type: 'API_KEY', id: apiKeyId } }),
  },
  createRateLimit: {
    'scope.id': ({ modelId }) => ({ requestsPerMinute: 1, scope: { type: 'MODEL', id: modelId } }),
  },
  createScreeningPolicy: {
    'attachedTo[].scopeId': ({ modelId }) => ({
      identifier: 'another',
      name: 'x',
      attachedTo: [{ scopeType: 'MODEL', scopeId: modelId }],
    }),
  },
  updateScreeningPolicy: {
    'attachedTo[].scopeId': ({ modelId }) => ({
      attachedTo: [{ scopeType: 'MODEL', scopeId: modelId }],
    }),
  },
  createRoutingPolicy: {
    'candidates[].modelId': ({ modelId }) => ({ name: 'another', candidates: [{ modelId }] }),
  },
  updateRoutingPolicy: {
    'candidates[].modelId': ({ modelId }) => ({ candidates: [{ modelId }] }),
  },
  createAlertRule: {
    'destinationIds[]': ({ alertDestinationId }) => ({
      ...alertRule,
      destinationIds: [alertDestinationId],
    }),
    'condition.budgetId': ({ budgetId }) => ({
      ...alertRule,
      condition: { kind: 'BUDGET_USED', budgetId },
    }),
    'condition.quotaId': ({ quotaId }) => ({
      ...alertRule,
      condition: { kind: 'QUOTA_USED', quotaId },
    }),
  },
  updateAlertRule: {
    'destinationIds[]': ({ alertDestinationId }) => ({ destinationIds: [alertDestinationId] }),
    'condition.budgetId': ({ budgetId }) => ({ condition: { kind: 'BUDGET_USED', budgetId } }),
    'condition.quotaId': ({ quotaId }) => ({ condition: { kind: 'QUOTA_USED', quotaId } }),
  },
  addRecommendedAlertRules: {
    'destinationIds[]': ({ alertDestinationId }) => ({ destinationIds: [alertDestinationId] }),
  },
  createPlatformAlertRule: {
    'destinationIds[]': ({ alertDestinationId }) => ({
      name: 'a rule',
      condition: { kind: 'LEDGER_LAG' },
      destinationIds: [alertDestinationId],
    }),
  },
  updatePlatformAlertRule: {
    'destinationIds[]': ({ alertDestinationId }) => ({
      destinationIds: [alertDestinationId],
    }),
  },
  addRecommendedPlatformAlertRules: {
    'destinationIds[]': ({ alertDestinationId }) => ({
      destinationIds: [alertDestinationId],
    }),
  },
  createPriceCorrection: {
    modelId: ({ modelId }) => ({
      modelId,
      from: '2026-01-01T00:00:00Z',
      price: { steps: [{ input: '1', output: '1' }] },
      reason: 'to see',
    }),
  },
  createRerate: {
    modelId: ({ modelId }) => ({
      modelId,
      dryRun: true,
      reason: 'to see',
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-02T00:00:00Z',
    }),
  },
};
