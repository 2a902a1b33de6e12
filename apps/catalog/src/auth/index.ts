/**
 * Authentication: passwords and their reset links, single sign-on, throttling, sessions with
 * rotating refresh tokens, access tokens, and the caller behind one. Authorisation is
 * `rest/access`.
 */
export { createAccessTokens, type AccessTokens } from './access-token';
export { createAuthenticate } from './authenticate';
export { createPasswords, type Passwords } from './passwords';
export { bootstrapAdmin } from './bootstrap';
export { createAuthRoutes } from './routes';
export { dropResetLinks, makeResetLink, formatTime, type Links } from './password-reset';
export { createPasswordResetRoutes } from './password-reset.routes';
export { endSessions, liveSessions, type LiveSession } from './sessions';
export { originOf } from './sign-in';
export { createSsoRoutes, readSsoSettings, ssoShape, type SsoSettings } from './sso';
export { parseSigningSecrets, type SigningSecrets } from './signing-secrets';
export { admitAttempt, linkCounts } from './throttle';
export { isTokenOf, newToken, sha256 } from './tokens';
