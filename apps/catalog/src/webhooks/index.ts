/** Signed webhooks (Standard Webhooks): secrets, signatures, one guarded delivery. */
export {
  postWebhook,
  type WebhookFaultCode,
  type WebhookLimits,
  type WebhookMessage,
  type WebhookOutcome,
  type WebhookTarget,
} from './post';
export { isWebhookSecret, newWebhookSecret, signatureHeaders } from './sign';
