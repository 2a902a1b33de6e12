// What the pipeline knows of a request, whichever operation it is: what policy is asked, how one
// provider is asked, and what its answer means.

import type {
  GatewayError,
  Operation,
  ProviderType,
  TokenUsage,
  Units,
  UpstreamFormat,
} from '@tollgate/contracts';
import type { InputText, PlainText } from '../formats/estimate/input-text';
import type {
  JsonObject,
  Kept,
  ReplyContext,
  ResponseReport,
  StreamEnding,
  StreamReport,
  UpstreamHeaders,
  UsageTap,
  NormalisedRequest,
} from '../formats';
import type { AnswerBody } from '../upstream/answer-body';
import type { ServerTool } from '../formats/server-tools';
import type { Endpoint } from '../upstream/endpoints';
import type { Payload } from '../upstream/payload';

export type Job = {
  /** As the client named it. */
  model: string;
  /** It has named none, and this is the default. */
  modelAssumed?: true;
  /** The provider the client pinned, as it spelled it. */
  provider: string | undefined;
  /** The client asked for a stream. */
  stream: boolean;
  /** Its output has a bound that can be moved while it streams, so its hold may grow with it. */
  growing: boolean;
  /** How many answers are generated. */
  choices: number;
  /** The client's own bound on each of them; 0: none. */
  maxOutputTokens: number;
  /** Tokens of the input that its answer repeats, beside the bound. Absent: none. */
  repeatedInputTokens?: number;
  /** A cautious count of the input, which the hold is taken by. */
  inputTokensEstimate: number;
  /** The part of it that is sound. */
  audioInputTokensEstimate: number;
  /** What of it is text, asked for where no provider has counted it. Absent: the estimate stands. */
  inputText?: () => InputText;
  /** No sound is asked for: output costs what text does. */
  textOutput: boolean;
  /** What is billed by other units, as far as it is known ahead of the answer. */
  unitsEstimate: Readonly<Record<string, number>>;
  /** Tools that the provider runs by itself. */
  serverTools?: readonly ServerToolAsked[];
  /** What a model must be able to do for it, separated by commas: tools, vision, audio. */
  needs?: string;
  /** The answer that this request goes on from, which the provider keeps. */
  previousResponseId: string;
  /** The conversation that it is a turn of, which the provider keeps. Absent or empty: none. */
  conversationId?: string;
  /** What the operation is about, which the provider keeps. Absent: nothing. */
  storedId?: string;
  /** What a conversation says, for steps between its decoding and the upstream call. */
  request?: NormalisedRequest;
  /** It is never charged, whatever its answer says of use. */
  free?: true;
  /** Its provider shall go on with it when it has answered, and whoever waits for that has left. */
  background?: true;
  /** The operation whose endpoint a candidate is asked at; undefined: the route's own. */
  endpointOperation?: (format: UpstreamFormat, type: ProviderType) => Operation | undefined;
  adapter: (target: Target) => ProviderAdapter;
  /** The answer where no provider has to be asked. Absent: there is none. */
  ownAnswer?: () => Answered;
};

/** A server tool and the upstreams that run it. */
export type ServerToolAsked = ServerTool & {
  /** A format (`anthropic`), or a format and a type of provider (`openai/PROVIDER_A`). */
  upstreams: string[];
};

/** The endpoint of one candidate. */
export type Target = {
  endpoint: Endpoint;
  providerType: ProviderType;
  /** The model's name at the upstream. */
  model: string;
  /** The output bound that was held; 0: the operation has none. */
  maxOutputTokens: number;
  /** The bound held for server tools without one of the client's own; 0: there are none. */
  maxToolCalls: number;
  strict: boolean;
  context: AnswerContext;
};

/** What an answer says that only the gateway knows. */
export type AnswerContext = Pick<ReplyContext, 'requestId' | 'provider' | 'model' | 'createdAtS'>;

/** How one provider is asked, and what its answer means. */
export type ProviderAdapter = {
  /** @throws GatewayError `unsupported_parameter` */
  encode: () => Payload;
  /** How an answer is passed on while it comes; undefined: it is read whole. */
  follow: (headers: UpstreamHeaders) => Passage | undefined;
  /** @throws GatewayError `upstream_error` when it is not an answer */
  read: (answer: AnswerBody, headers: UpstreamHeaders) => Answered;
  /** This provider goes on with it in the background. */
  background?: boolean;
  /** Only counts are read of an answer that is passed on as it is. */
  countsOnly: boolean;
  /** The error the client is told when the upstream refuses. */
  refused: (status: number, headers: UpstreamHeaders, body: Buffer) => GatewayError;
};

/** What an answer took beside tokens, and what it took where it does not say. */
export type Measured = {
  /** Quantities by unit. */
  units?: Units;
  /** Nobody has counted the units. */
  unitsEstimated?: boolean;
  /** What it will have taken, where `usage` is not reported. */
  estimate?: TokenUsage;
  /** Costs nothing, whatever the price list says. */
  free?: boolean;
  /** The provider still works on it: what it takes is not known yet. */
  pending?: boolean;
};

/** A whole answer. */
export type Answered = {
  /** The upstream's own bytes, or what is written of them once their charge is known. */
  body: Buffer | ((usage: TokenUsage) => string);
  contentType: string;
  /** Headers of the upstream that the body cannot be read without. */
  headers?: Readonly<Record<string, string>>;
  report: Omit<ResponseReport, 'outputTokensEstimate' | 'units'> &
    Measured & {
      /** What it says, asked for where its provider has not counted it. Absent: the estimate stands. */
      said?: () => PlainText;
      /** The stored response that was read. */
      stored?: JsonObject;
    };
};

/** What an answer goes through on its way to the client, piece by piece. */
export type Passage = Pick<UsageTap, 'push'> & {
  readonly report: Omit<StreamReport, 'units'> & Measured;
  /** What was said, while nobody has counted it. Absent: it is not text, or counted otherwise. */
  readonly kept?: Kept;
  /**
   * The last events of a complete stream whose usage nobody has told, with what it is taken to have
   * used. Absent: what was passed on has ended it.
   */
  readonly last?: ((tokens: TokenUsage) => string) | undefined;
  /** `broken`: the upstream did not come to the end of its message. */
  finish: (broken?: boolean) => Buffer[];
  /** Undefined: nothing can be said in this stream but by cutting it off. */
  readonly ending: (Pick<StreamEnding, 'fail'> & Partial<Pick<StreamEnding, 'cut'>>) | undefined;
  readonly contentType: string;
  /** A remark that clients pass over; empty where there is no room for one. */
  comment: (text: string) => string;
};
