/** Receivers of exported records for tests: a webhook and an S3-compatible storage. */
export type { Line } from './receive';
export { signatureFault } from './aws-signature';
export { startStorage, type StorageServer } from './storage';
export { startWebhookReceiver, type Delivery, type WebhookReceiver } from './webhook';
