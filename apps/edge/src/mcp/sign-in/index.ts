// Sign-in of web clients: an organisation's identity provider issues access tokens (OAuth 2.1), the gateway
// is the protected resource (RFC 9728), and a rule of the organisation says which API key a token stands for.
// Nothing of a token goes any further.
export { challengeOf, wwwAuthenticate, type Challenge } from './challenge';
export { resourceDocument, sendDocument } from './document';
export { createProviderKeys } from './provider-keys';
export { resourceUrl, WELL_KNOWN, type ResourcePath } from './resource';
export { createSignIns, type SignIn, type SignIns } from './sign-ins';
export { createTokenReader, MissingScope, type Caller, type TokenReader } from './token-reader';
