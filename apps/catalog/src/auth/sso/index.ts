/** Single sign-on with one configured OpenID Connect provider, in addition to passwords. */
export { createSsoRoutes, type SsoDeps } from './routes';
export { readSsoSettings, ssoShape, type SsoSettings } from './settings';
