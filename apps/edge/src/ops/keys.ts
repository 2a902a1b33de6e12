import { gatewayError, isErrorCode } from '@tollgate/contracts';
import type { ValidateKeyReply__Output } from '@tollgate/contracts/node';

/** What a key may do, for its holder. */
export function describeKey(reply: ValidateKeyReply__Output) {
  const { subject } = reply;
  return {
    valid: true,
    apiKey: {
      id: subject?.apiKeyId,
      name: subject?.apiKeyName,
      type: subject?.apiKeyType,
      expiresAt: reply.expiresAtMs > 0 ? new Date(reply.expiresAtMs).toISOString() : null,
    },
    organisation: { id: subject?.organisationId, slug: subject?.organisationSlug },
    teamId: subject?.teamId || null,
    userId: subject?.userId || null,
    models: reply.models.map(({ id, name, type, provider }) => ({ id, name, type, provider })),
    mcpServerIds: reply.mcpServerIds,
    limits: reply.limits.map((limit) => ({
      id: limit.limitId,
      kind: limit.kind,
      metric: limit.metric || null,
      scope: { type: limit.scopeType, id: limit.scopeId },
      mode: limit.mode,
      limit: limit.limit,
      settled: limit.settled,
      held: limit.held,
      resetsAt: limit.resetsAtMs > 0 ? new Date(limit.resetsAtMs).toISOString() : null,
    })),
  };
}

/** @throws GatewayError with policy's reason when the key is not valid */
export function checkValid(reply: ValidateKeyReply__Output): void {
  if (reply.valid) return;
  const { code = '', message } = reply.denial ?? {};
  throw gatewayError(isErrorCode(code) ? code : 'invalid_api_key', message || undefined);
}
