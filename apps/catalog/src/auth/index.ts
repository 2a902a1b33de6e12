/**
 * Who a caller is: passwords, sign-in throttling, sessions with rotating refresh tokens, access
 * tokens, and the caller behind one. What a caller may do is decided in `rest/access`.
 */
export { createAccessTokens, type AccessTokens } from './access-token';
export { createAuthenticate } from './actor';
export { createPasswords, type Passwords } from './passwords';
export { bootstrapAdmin } from './bootstrap';
export { createAuthRoutes } from './routes';
export { endSessions } from './sessions';
