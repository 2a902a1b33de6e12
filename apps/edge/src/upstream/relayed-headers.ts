// Upstream response headers that are relayed under their own names. Rate limits are not relayed:
// they concern the gateway's account, and the gateway sends its own under the same names.

import type { UpstreamFormat } from '@tollgate/contracts';

import type { FormatName, UpstreamHeaders } from '../formats';
import type { Endpoint } from './endpoints';
import { speakOneFormat } from './vendor-refusal';

/** Read by SDKs, and for finding slow requests. Account ids are not relayed. */
const RELAYED: Readonly<Record<UpstreamFormat, readonly string[]>> = {
  openai: ['openai-processing-ms', 'openai-version'],
  vllm: [],
  anthropic: [],
  gemini: [],
};

const VALUE_CHARACTERS = 256;

/** `headers` must be free of the provider's secrets. */
export function relayedHeaders(
  headers: UpstreamHeaders,
  { format, upstreamFormat }: Endpoint,
  client: FormatName,
): Record<string, string> {
  const relayed: Record<string, string> = {};
  if (!speakOneFormat(client, format)) return relayed;
  for (const name of RELAYED[upstreamFormat]) {
    const value = headers[name];
    if (typeof value === 'string' && value.length <= VALUE_CHARACTERS) relayed[name] = value;
  }
  return relayed;
}
