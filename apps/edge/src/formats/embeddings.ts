// Text to vectors, in the formats that have a question for it. An operation of its own: what is asked
// and answered is no conversation, so neither goes through the normalised request.

import type { TokenUsage } from '@tollgate/contracts';
import * as gemini from './gemini-generate/embeddings';
import * as openai from './openai-chat/embeddings';
import type { DecodeContext, EncodedRequest, TargetContext } from './format';
import type { ContentBlock, FormatName, JsonObject } from './normalised';

/** One thing that becomes one vector. */
export interface EmbeddingsInput {
  /** Where it stands in the client's request. */
  path: string;
  /** As an empty list: there is nothing but what `untranslatable` names. */
  content: ContentBlock[];
  /** The path of a part that no other format has a place for. */
  untranslatable?: string;
  dimensions?: number | undefined;
}

export interface EmbeddingsRequest {
  format: 'openai-chat' | 'gemini-generate';
  model: string;
  provider?: string | undefined;
  inputs: EmbeddingsInput[];
  /** Several may be asked about at once, and the answer is a list. */
  batch: boolean;
  /** How the client wants its numbers written. */
  encoding: 'float' | 'base64';
  /** Paths of what only the client's own format has. */
  extras: string[];
  raw: JsonObject;
}

export interface EmbeddingsAnswer {
  /** One for each input, in their order. */
  vectors: number[][];
  /** Absent: the provider has not counted. */
  usage?: TokenUsage | undefined;
}

export interface EmbeddingsCodec {
  /** @throws GatewayError `invalid_request` naming the field */
  decodeRequest(body: JsonObject, context: DecodeContext): EmbeddingsRequest;
  /**
   * A request that came in the codec's own format is written as it came, but for its model.
   * @throws GatewayError `unsupported_parameter` naming what cannot be asked
   */
  encodeRequest(request: EmbeddingsRequest, target: TargetContext): EncodedRequest;
  /** @throws GatewayError `upstream_error` when it is no answer to so many inputs */
  decode(body: unknown, inputs: number): EmbeddingsAnswer;
  encode(answer: Required<EmbeddingsAnswer>, request: EmbeddingsRequest, model: string): JsonObject;
  /** Undefined: the answer holds no counts. */
  usageIn(body: JsonObject): TokenUsage | undefined;
}

export const EMBEDDINGS: Readonly<Partial<Record<FormatName, EmbeddingsCodec>>> = {
  'openai-chat': openai,
  'gemini-generate': gemini,
};
