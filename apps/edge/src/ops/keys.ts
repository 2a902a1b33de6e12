import { formatUsd, gatewayError, isErrorCode } from '@tollgate/contracts';
import type { LimitState__Output, ValidateKeyReply__Output } from '@tollgate/contracts/node';

/** Describes a key to its holder: its owner, its permissions and what is left of each limit. */
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
    limits: reply.limits.map(describeLimit),
  };
}

// The tightest limit comes first. Amounts are counts, or decimal US dollars if the metric is COST.
// `null` means that the amount is unknown at the moment.
function describeLimit(limit: LimitState__Output) {
  const amount = (text: string): string | number | null => {
    if (text === '') return null;
    return limit.metric === 'COST' ? formatUsd(BigInt(text)) : Number(text);
  };
  return {
    id: limit.limitId,
    kind: limit.kind,
    metric: limit.metric || null,
    scope: { type: limit.scopeType, id: limit.scopeId },
    mode: limit.mode,
    period: limit.period || null,
    windowSeconds: limit.windowSeconds || null,
    limit: amount(limit.limit),
    settled: amount(limit.settled),
    held: amount(limit.held),
    remaining: amount(limit.remaining),
    resetsAt: limit.resetsAtMs > 0 ? new Date(limit.resetsAtMs).toISOString() : null,
  };
}

/** @throws GatewayError with policy's reason if the key is not valid */
export function checkValid(reply: ValidateKeyReply__Output): void {
  if (reply.valid) return;
  const { code = '', message } = reply.denial ?? {};
  throw gatewayError(isErrorCode(code) ? code : 'invalid_api_key', message || undefined);
}
