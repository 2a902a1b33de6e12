/**
 * Which kind covers each endpoint that writes, or why none does. A test compares this table with the
 * endpoints, and `docs/configuration-as-code.md` with this table.
 */

interface Covered {
  readonly kind: string;
}
interface LeftOut {
  readonly why: string;
}
export type Coverage = Covered | LeftOut;

const by = (kind: string, ...endpoints: readonly string[]): [string, Coverage][] =>
  endpoints.map((id) => [id, { kind }]);
const leftOut = (why: string, ...endpoints: readonly string[]): [string, Coverage][] =>
  endpoints.map((id) => [id, { why }]);

export const COVERAGE: ReadonlyMap<string, Coverage> = new Map([
  ...by(
    'Organisation',
    'createOrganisation',
    'updateOrganisation',
    'updateOwnOrganisation',
    'updateSettings',
    'suspendOrganisation',
    'resumeOrganisation',
  ),
  ...by(
    'User',
    'createUser',
    'updateUser',
    'disableUser',
    'enableUser',
    'createPlatformUser',
    'updatePlatformUser',
    'disablePlatformUser',
    'enablePlatformUser',
  ),
  ...by(
    'Team',
    'createTeam',
    'updateTeam',
    'deleteTeam',
    'addTeamMember',
    'updateTeamMember',
    'removeTeamMember',
  ),
  ...by(
    'Provider',
    'createProvider',
    'updateProvider',
    'deleteProvider',
    'addProviderKey',
    'updateProviderKey',
    'rotateProviderKey',
    'deleteProviderKey',
  ),
  ...by(
    'Model',
    'createModel',
    'updateModel',
    'deleteModel',
    'addPrice',
    'deletePrice',
    'importModels',
    'importPrices',
  ),
  ...by('McpServer', 'createMcpServer', 'updateMcpServer', 'deleteMcpServer'),
  ...by('RoutingPolicy', 'createRoutingPolicy', 'updateRoutingPolicy', 'deleteRoutingPolicy'),
  ...by(
    'ApiKey',
    'createApiKey',
    'updateApiKey',
    'revokeApiKey',
    'setApiKeyModels',
    'setApiKeyMcpServers',
    'addMcpGrants',
  ),
  ...by('Budget', 'createBudget', 'updateBudget', 'deleteBudget'),
  ...by('Quota', 'createQuota', 'updateQuota', 'deleteQuota'),
  ...by('RateLimit', 'createRateLimit', 'updateRateLimit', 'deleteRateLimit'),
  ...by(
    'ScreeningService',
    'createScreeningService',
    'updateScreeningService',
    'deleteScreeningService',
  ),
  ...by(
    'ScreeningPolicy',
    'createScreeningPolicy',
    'updateScreeningPolicy',
    'deleteScreeningPolicy',
  ),
  ...by('McpSignIn', 'setMcpSignIn', 'deleteMcpSignIn'),
  ...leftOut('It is final and revokes every key; an administrator does it.', 'archiveOrganisation'),
  ...leftOut(
    'Passwords and links belong to the person; `initialPassword` serves new users.',
    'setUserPassword',
    'setPlatformUserPassword',
    'createUserResetLink',
    'createPlatformUserResetLink',
    'requestPasswordReset',
    'confirmPasswordReset',
  ),
  ...leftOut(
    'An invitation is a link that expires; the user that it makes is a `User`.',
    'createInvitation',
    'resendInvitation',
    'revokeInvitation',
    'lookUpInvitation',
    'acceptInvitation',
  ),
  ...leftOut(
    'Acts on the caller’s own account and session.',
    'login',
    'refresh',
    'logout',
    'updateMe',
    'changePassword',
    'endOwnSession',
    'endOtherSessions',
    'unlinkOwnIdentity',
  ),
  ...leftOut(
    'Sessions and links to single sign-on come from signing in; the identity provider itself is set by the catalog’s environment (`OIDC_…`).',
    'endUserSession',
    'endUserSessions',
    'endPlatformUserSession',
    'endPlatformUserSessions',
    'unlinkUserIdentity',
    'unlinkPlatformUserIdentity',
  ),
  ...leftOut('Replaces a secret at once; keys in use would be refused.', 'rotateApiKey'),
  ...leftOut('The key lives for 15 minutes.', 'createPlaygroundKey'),
  ...leftOut(
    'Tries something, and stores nothing.',
    'testProvider',
    'testProviderDraft',
    'discoverModels',
    'testMcpServer',
    'testScreening',
    'testScreeningCode',
    'offerCorrection',
    'testExportDestination',
    'testPlatformExportDestination',
  ),
  ...leftOut(
    'There is no kind of document for it yet.',
    'createExportDestination',
    'updateExportDestination',
    'deleteExportDestination',
    'createPlatformExportDestination',
    'updatePlatformExportDestination',
    'deletePlatformExportDestination',
  ),
  ...leftOut(
    'Acts on the books, not on the configuration.',
    'correctUsageRecord',
    'createRerate',
    'resolveAbandoned',
    'retryQuarantined',
    'dismissQuarantined',
    'createInvoice',
    'recomputeInvoice',
    'issueInvoice',
    'voidInvoice',
    'deleteInvoice',
  ),
]);
