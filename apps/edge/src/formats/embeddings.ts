// Embeddings, in the formats that have them. An embeddings request is not a conversation, so it
// does not use the normalised request.

import type { TokenUsage } from '@tollgate/contracts';

import type { DecodeContext, EncodedRequest, TargetContext } from './format';
import * as gemini from './gemini-generate/embeddings';
import type { ContentBlock, FormatName, JsonObject } from './normalised';
import * as openai from './openai-chat/embeddings';

/** One input, which becomes one vector. */
export interface EmbeddingsInput {
  /** The path of the input in the client's request. */
  path: string;
  /** An empty list means that the input holds only what `untranslatable` names. */
  content: ContentBlock[];
  /** The path of a part that no other format can express. */
  untranslatable?: string;
  dimensions?: number | undefined;
}

export interface EmbeddingsRequest {
  format: 'openai-chat' | 'gemini-generate';
  model: string;
  provider?: string | undefined;
  inputs: EmbeddingsInput[];
  /** One request may hold several inputs; the answer is then a list. */
  batch: boolean;
  /** The encoding of the vectors that the client wants. */
  encoding: 'float' | 'base64';
  /** Paths of parameters that only the client's own format has. */
  extras: string[];
  raw: JsonObject;
}

export interface EmbeddingsAnswer {
  /** One vector for each input, in order. */
  vectors: number[][];
  /** Absent: the provider did not report usage. */
  usage?: TokenUsage | undefined;
}

export interface EmbeddingsCodec {
  /** @throws GatewayError `invalid_request` naming the field */
  decodeRequest(body: JsonObject, context: DecodeContext): EmbeddingsRequest;
  /**
   * A request in the codec's own format is sent unchanged except for its model.
   * @throws GatewayError `unsupported_parameter` naming what the target cannot express
   */
  encodeRequest(request: EmbeddingsRequest, target: TargetContext): EncodedRequest;
  /**
   * @throws GatewayError `upstream_error` when the body is not an answer for that number of inputs
   */
  decode(body: unknown, inputs: number): EmbeddingsAnswer;
  encode(answer: Required<EmbeddingsAnswer>, request: EmbeddingsRequest, model: string): JsonObject;
  /** Undefined: the answer reports no usage. */
  usageIn(body: JsonObject): TokenUsage | undefined;
}

export const EMBEDDINGS: Readonly<Partial<Record<FormatName, EmbeddingsCodec>>> = {
  'openai-chat': openai,
  'gemini-generate': gemini,
};
