/**
 * Secrets at rest: where they are kept, and how they are moved from one key-encryption key to the next.
 * Sealing and opening itself is in the contracts, because the edge opens them too.
 */
export { rotateSecrets, type RotationReport } from './rotate';
export { mcpSecretContext, replayContext, SEALED_STORES, type SealedStore } from './sealed';
