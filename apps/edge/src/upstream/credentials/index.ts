// Cloud identities: what a provider has in place of a key. An identity is exchanged for a token, or signs
// requests. A credential is fetched once for all requests and connections that share the identity, and renewed
// in the background before it expires. Plain keys are no part of this: ../request.ts sends them as they are.

export { createIdentities, type Identities, type Identity, type IdentityOwner } from './identities';
export type { AmbientSettings } from './ambient';
