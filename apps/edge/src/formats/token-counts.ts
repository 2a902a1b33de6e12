// Token count requests, in the formats that have them.

import { anthropicMessages } from './anthropic-messages';
import * as anthropicCount from './anthropic-messages/count-tokens';
import type { DecodeContext, EncodedRequest, TargetContext } from './format';
import * as geminiCount from './gemini-generate/count-tokens';
import type { FormatName, JsonObject, NormalisedRequest } from './normalised';

export interface TokenCounts {
  decodeRequest(body: JsonObject, context: DecodeContext): NormalisedRequest;
  encodeRequest(request: NormalisedRequest, target: TargetContext): EncodedRequest;
  /** @throws GatewayError `upstream_error` when it is not a count */
  decode(body: unknown): number;
  encode(inputTokens: number): JsonObject;
}

/** Parameters of the answer, which a token count ignores. */
const ABOUT_THE_ANSWER = [
  'max_tokens',
  'metadata',
  'service_tier',
  'stop_sequences',
  'stream',
  'temperature',
  'top_k',
  'top_p',
];

export const TOKEN_COUNTS: Readonly<Partial<Record<FormatName, TokenCounts>>> = {
  'anthropic-messages': {
    decodeRequest: anthropicCount.decodeTokenCountRequest,
    encodeRequest: (request, target) => {
      const { body, dropped } = anthropicMessages.encodeRequest(request, target);
      const kept = Object.entries(body).filter(([name]) => !ABOUT_THE_ANSWER.includes(name));
      return { body: Object.fromEntries(kept), dropped };
    },
    decode: anthropicCount.decodeTokenCount,
    encode: anthropicCount.encodeTokenCount,
  },
  'gemini-generate': {
    decodeRequest: geminiCount.decodeTokenCountRequest,
    encodeRequest: geminiCount.encodeTokenCountRequest,
    decode: geminiCount.decodeTokenCount,
    encode: geminiCount.encodeTokenCount,
  },
};
