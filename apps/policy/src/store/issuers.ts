import { createHash } from 'node:crypto';
import type { Calls } from './calls';
import { issuersKey, issuersByEndKey } from './keys';
import { asNumber, asText } from './replies';

/** Which upstream connection made a response. */
export type Issuer = { providerId: string; connectionVersion: number; modelId: string };

export type ResponseRef = { shard: number; organisationId: string; responseId: string };

// Response ids come from upstreams and, to be looked up, from clients: a digest is short whatever
// they are.
const DIGEST_CHARS = 22;

export async function remember(
  calls: Calls,
  most: number,
  response: ResponseRef,
  issuer: Issuer,
): Promise<void> {
  const { providerId, connectionVersion, modelId } = issuer;
  const text = [providerId, String(connectionVersion), modelId].join(' ');
  const reply = await calls.script('remember', keysOf(response), () => [
    digestOf(response),
    text,
    String(most),
  ]);
  if (reply[0] !== 'REMEMBERED') throw new TypeError(`remember answered ${String(reply[0])}`);
}

export async function recall(calls: Calls, response: ResponseRef): Promise<Issuer | null> {
  const reply = await calls.script('recall', keysOf(response), () => [digestOf(response)]);
  if (reply[0] === 'UNKNOWN') return null;
  if (reply[0] !== 'KNOWN') throw new TypeError(`recall answered ${String(reply[0])}`);
  const [providerId, version, modelId] = asText(reply[1]).split(' ');
  return {
    providerId: asText(providerId),
    connectionVersion: asNumber(version),
    modelId: asText(modelId),
  };
}

function keysOf({ shard, organisationId }: ResponseRef): [string, string] {
  return [issuersKey(shard, organisationId), issuersByEndKey(shard, organisationId)];
}

function digestOf({ responseId }: ResponseRef): string {
  return createHash('sha256').update(responseId).digest('base64url').slice(0, DIGEST_CHARS);
}
