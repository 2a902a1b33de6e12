/** Single sign-on with OpenID Connect: one provider, by configuration, beside passwords. */
export { createSsoRoutes, type SsoDeps } from './routes';
export { readSsoSettings, ssoShape, type SsoSettings } from './settings';
