/**
 * Secrets at rest: where they are stored, and how they move to another key-encryption key. Sealing
 * and opening is in the contracts, because the edge opens them too.
 */
export { rotateSecrets, type RotationReport } from './rotate';
export { NO_SECRET, sealedRowSecret } from './row-secret';
export { replayContext, SEALED_STORES, type SealedStore } from './sealed-stores';
