// The pipeline's view of a request, common to all operations: what policy is asked, how a provider
// is called, and how its answer is read.

import type {
  GatewayError,
  Operation,
  ProviderType,
  TierWords,
  TokenUsage,
  Units,
  UpstreamFormat,
} from '@tollgate/contracts';

import type {
  JsonObject,
  NormalisedRequest,
  OutputBuffer,
  ReplyContext,
  ResponseReport,
  StreamEnding,
  StreamReport,
  UpstreamHeaders,
  UsageTap,
} from '../formats';
import type { InputText, PlainText } from '../formats/estimate/input-text';
import type { ServerTool } from '../formats/server-tools';
import type { ServiceTierAsked } from '../formats/service-tiers';
import type { AnswerBody } from '../upstream/answer-body';
import type { Endpoint } from '../upstream/endpoints';
import type { Payload } from '../upstream/payload';

export interface Job {
  /** The model name that the client sent. */
  model: string;
  /** The client named no model; `model` is the default. */
  modelAssumed?: true;
  /** The provider that the client pinned, as spelled by the client. */
  provider: string | undefined;
  /** The client asked for a stream. */
  stream: boolean;
  /** The output can be ended while it streams, so the hold may grow with it. */
  growing: boolean;
  /** The number of generated answers. */
  choices: number;
  /** The client's own output bound per answer; 0: none. */
  maxOutputTokens: number;
  /**
   * Output tokens of one answer that follow from the request and cannot be bounded: of images by their
   * size, or of the audio of a text. Absent: unknown, or the output is bounded.
   */
  outputTokensEstimate?: number;
  /** Input tokens that the answer repeats or summarises in addition to the bound. Absent: none. */
  repeatedInputTokens?: number;
  /** A cautious estimate of the input, on which the hold is based. */
  inputTokensEstimate: number;
  /**
   * Stored tokens that the provider reads again beside the input, at most. Policy knows them. Absent:
   * none.
   */
  readTokens?: number;
  /** The audio part of the estimate. */
  audioInputTokensEstimate: number;
  /** The text of the input, read only if no provider counted it. Absent: the estimate stays. */
  inputText?: () => InputText;
  /** No audio output is requested, so output is held at the price of text or of images. */
  textOutput: boolean;
  /** Units other than tokens, as far as they are known before the answer. */
  unitsEstimate: Readonly<Record<string, number>>;
  /** Tools that the provider runs itself. */
  serverTools?: readonly ServerToolAsked[];
  /** Processing tiers other than standard that it asks for. Absent: none. */
  serviceTiers?: readonly ServiceTierAsked[];
  /** Capabilities that the model needs, separated by commas: tools, vision, audio. */
  needs?: string;
  /** The response that this request continues, stored at the provider. */
  previousResponseId: string;
  /** The conversation that this request belongs to, stored at the provider. Absent or empty: none. */
  conversationId?: string;
  /** The conversation that its input and output are added to. Absent: none. */
  addsTo?: string;
  /** Tokens that it adds to what a follow-up reads again. Absent: those of its input. */
  addedTokens?: number;
  /** What policy has added to the conversation before the answer. Absent: nothing. */
  assumedTokens?: number;
  /** The stored object that the operation is about. Absent: none. */
  storedId?: string;
  /** Stored items that its input refers to. Absent: none. */
  itemIds?: readonly string[];
  /** Items that are sent again, and that the provider may complete by their ids. Absent: none. */
  replayedItemIds?: readonly string[];
  /** The decoded conversation, for steps between decoding and the upstream call. */
  request?: NormalisedRequest;
  /** Never charged, whatever usage its answer reports. */
  free?: true;
  /** The provider continues after it answered, and after the client left. */
  background?: true;
  /** The operation whose endpoint is called; undefined: the route's own. */
  endpointOperation?: (format: UpstreamFormat, type: ProviderType) => Operation | undefined;
  adapter: (target: Target) => ProviderAdapter;
  /** The gateway's own answer, used if the provider has no endpoint. Absent: there is none. */
  ownAnswer?: () => Answered;
}

/** A server tool and the upstreams that run it. */
export type ServerToolAsked = ServerTool & {
  /** A format (`anthropic`), or a format and a provider type (`openai/PROVIDER_A`). */
  upstreams: string[];
};

/** One candidate's endpoint and limits. */
export interface Target {
  endpoint: Endpoint;
  providerType: ProviderType;
  /** The model's name at the upstream. */
  model: string;
  /** The output bound that is held; 0: the operation has none. */
  maxOutputTokens: number;
  /** The bound held for server tools if the client set none; 0: there are none. */
  maxToolCalls: number;
  strict: boolean;
  context: AnswerContext;
}

/** Facts in an answer that only the gateway knows. */
export type AnswerContext = Pick<ReplyContext, 'requestId' | 'provider' | 'model' | 'createdAtS'>;

/** Encodes the request for one provider and reads its answer. */
export interface ProviderAdapter {
  /** @throws GatewayError `unsupported_parameter` */
  encode: () => Payload;
  /** Relays an answer as a stream; undefined: it is read whole. */
  follow: (headers: UpstreamHeaders) => Passage | undefined;
  /** @throws GatewayError `upstream_error` if it is not a valid answer */
  read: (answer: AnswerBody, headers: UpstreamHeaders) => Answered;
  /** The provider continues in the background. */
  background?: boolean;
  /** The answer is relayed unchanged, and only its counts are read. */
  countsOnly: boolean;
  /** The client's error for an upstream refusal. */
  refused: (status: number, headers: UpstreamHeaders, body: Buffer) => GatewayError;
}

/** Consumption other than reported tokens, and estimates for what is not reported. */
export interface Measured {
  /** Quantities by unit. */
  units?: Units;
  /** The units are the gateway's estimate. */
  unitsEstimated?: boolean;
  /** The processing tiers that the answer reports. */
  tiers?: TierWords;
  /** The expected tokens, used if `usage` is not reported. */
  estimate?: TokenUsage;
  /** Costs nothing, whatever the price is. */
  free?: boolean;
  /** The provider is still working, so the consumption is unknown. */
  pending?: boolean;
}

/** A complete answer. */
export interface Answered {
  /** The answer says that it failed, and the client's format has no word for it. */
  failure?: GatewayError;
  /** The upstream's own bytes, or a function that writes the body once the charge is known. */
  body: Buffer | ((usage: TokenUsage) => string);
  contentType: string;
  /** Upstream headers needed to read the body. */
  headers?: Readonly<Record<string, string>>;
  report: Omit<ResponseReport, 'outputTokensEstimate' | 'units'> &
    Measured & {
      /** The output text, read only if the provider did not count it. Absent: the estimate stays. */
      said?: () => PlainText;
      /** The stored response that was read. */
      stored?: JsonObject;
    };
}

/** Transforms a streamed answer on its way to the client, chunk by chunk. */
export type Passage = Pick<UsageTap, 'push'> & {
  readonly report: Omit<StreamReport, 'units'> & Measured;
  /** What was said, while nobody has counted it. Absent: it is not text, or counted otherwise. */
  readonly output?: OutputBuffer;
  /**
   * The last events of a complete stream without reported usage, written with the usage that is
   * charged. Absent: the stream has already been ended.
   */
  readonly last?: ((tokens: TokenUsage) => string) | undefined;
  /** `broken`: the upstream did not reach the end of its message. */
  finish: (broken?: boolean) => Buffer[];
  /** Undefined: an error can only be shown by cutting the stream. */
  readonly ending: (Pick<StreamEnding, 'fail'> & Partial<Pick<StreamEnding, 'cut'>>) | undefined;
  readonly contentType: string;
  /** A comment that clients ignore; empty if the format has none. */
  comment: (text: string) => string;
  /** Whether output has been withheld from the client so far. Absent: it never is. */
  readonly withholds?: () => boolean;
  /**
   * Returns events that were withheld for what follows, if nothing has followed since the last call. Absent:
   * none ever are.
   */
  readonly idle?: () => Buffer[];
};
