// What a codec is. Every format folder exports one `Format`; `index.ts` registers it. Codecs are
// pure: bytes and objects in, bytes and objects out, no clock, no I/O.

import type { GatewayError, ProviderType, TierWords, TokenUsage } from '@tollgate/contracts';

import type { AnswerChanges } from './answer-changes';
import type {
  FormatName,
  JsonObject,
  NormalisedRequest,
  NormalisedResponse,
  ReportedUnits,
  StopReason,
  StreamEvent,
  StreamFault,
} from './normalised';
import type { OutputBuffer } from './output-buffer';
import type { ServerTool } from './server-tools';

/** What a request states outside its body. */
export interface DecodeContext {
  /** The model from the path, in formats that name it there. */
  model?: string;
  /** Whether the path asks for a stream, in formats that say it there. */
  stream?: boolean;
  /** Whether the path asks for a batch, in formats that say it there. */
  batch?: boolean;
}

/** The target of an encoded request. */
export interface TargetContext {
  /**
   * Providers of one format accept different parameters; each codec has a table of these
   * differences.
   */
  providerType: ProviderType;
  /** The model's name at the upstream. */
  model: string;
  /**
   * The output bound that the hold covers, sent upstream; absent: only the client's own bound is
   * sent.
   */
  maxOutputTokens?: number;
  /**
   * The bound on server tools that the hold covers, if the client set none; absent: there are none.
   */
  maxToolCalls?: number;
  /**
   * Refuse with `unsupported_parameter` instead of dropping what the target cannot express.
   */
  strict: boolean;
}

export interface EncodedRequest {
  body: JsonObject;
  /** Paths that the target's format cannot express, in the client's spelling. */
  dropped: string[];
  /** How to restore the answer; absent if nothing changes. */
  changes?: AnswerChanges;
}

/** Facts of an answer that only the gateway knows. */
export interface ReplyContext {
  requestId: string;
  /** The wire label of the provider that answered. */
  provider: string;
  /** The model as the client named it, which the answer repeats. */
  model: string;
  /** Seconds since the epoch, for formats with a date in the answer. */
  createdAtS: number;
  /** Whether the client asked for usage in its stream. */
  includeUsage: boolean;
  /** A cautious estimate of the input tokens, for formats that report them before the output. */
  inputTokensEstimate?: number;
  /** The usage of a unary answer whose provider reported none. */
  estimatedUsage?: TokenUsage;
  /** Write tool calls in the older `functions` style. */
  legacyFunctions?: boolean;
  /** The request, for formats whose answers repeat it. */
  request?: NormalisedRequest;
}

/** An error as it is written to the client. */
export interface EncodedError {
  status: number;
  headers: Record<string, string>;
  body: JsonObject;
}

/** Which request an error answers. */
export interface ErrorContext {
  requestId: string;
  /** The trace that the request belongs to. Absent or empty: none. */
  traceId?: string;
}

export interface StreamDecoder {
  /** Takes the upstream's bytes, cut anywhere. Never throws: garbage becomes an `error` event. */
  push(bytes: Uint8Array): StreamEvent[];
  /** The upstream closed. Yields an `error` event unless `end` or `error` has been given before. */
  finish(): StreamEvent[];
}

export interface StreamEncoder {
  /** The text to send for an event; empty if the format has none for it. */
  encode(event: StreamEvent): string;
  /**
   * Set once the encoder ended the stream with an error event, because an event could not be
   * encoded. The client then has no complete answer, whatever the upstream reports.
   */
  readonly failure?: GatewayError | undefined;
}

/** The state of a stream; final once `terminal` or `fault` is set. */
export interface StreamReport {
  /** The last usage the upstream reported. */
  usage?: TokenUsage;
  /** Billed units other than tokens. */
  units?: ReportedUnits;
  /** The processing tiers that the upstream reported. */
  tiers?: TierWords;
  /**
   * Usage that the upstream reported before the output, with input only. A broken stream is charged
   * for this and the output estimate.
   */
  inputUsage?: TokenUsage;
  stopReason?: StopReason;
  rawStopReason?: string;
  responseId?: string;
  /** The model as the upstream calls it. */
  model?: string;
  /** Ids of output items, where later requests may refer to them. */
  itemIds?: string[];
  /** An event with generated output was seen. */
  outputSeen: boolean;
  /**
   * A cautious running estimate of the output tokens of all choices, for holds and aborted streams.
   */
  outputTokensEstimate: number;
  /** The number of output pieces in all choices. A server sends at least one token per piece. */
  outputPieces: number;
  /** The format's terminal event was seen. */
  terminal: boolean;
  /** Set at most once; `error` is then sent to the client. */
  fault?: StreamFault;
  error?: GatewayError;
}

/**
 * Watches a stream that is passed on in its own format. Only complete events are passed on, so that
 * an error event can always follow.
 */
export interface UsageTap {
  /**
   * Takes the upstream's bytes, cut anywhere, and returns those to pass on. Never throws. The
   * upstream's own error event is held back and set in the report; everything after a terminal or
   * faulty event is dropped. The terminal event is the last buffer, alone, so that another event
   * can be sent before it.
   */
  push(bytes: Buffer): Buffer[];
  /**
   * The upstream closed: sets the fault EARLY_END unless the stream was complete. Returns the
   * terminal event if it lacked only its blank line.
   */
  finish(): Buffer[];
  readonly report: StreamReport;
  /** The output, until the provider has counted it. */
  readonly output: OutputBuffer;
  /**
   * How to end the stream early, in formats where that depends on the events sent before. Absent:
   * use `encodeStreamError`, or the end that an encoder writes.
   */
  readonly ending?: StreamEnding;
  /**
   * The events that close the open part of the answer, to be sent before the end that an encoder writes.
   * Absent: the format's streams have no such parts.
   */
  readonly closeOpen?: () => string;
}

/** Each returns the text of the last events of a stream. */
export interface StreamEnding {
  /** The stream failed. */
  fail(error: GatewayError): string;
  /** The stream reached its output bound. */
  cut(tokens: TokenUsage): string;
}

export interface UsageTapOptions {
  /** Remove usage, because the client did not ask for it. */
  stripUsage: boolean;
  /** Remove running usage from output chunks: the client asked for totals only. */
  stripRunningUsage?: boolean;
  /** Pass on `data: ` lines only: no comments, no event names. */
  dataLinesOnly?: boolean;
}

/** What the gateway reads from a unary answer that is passed on unchanged. */
export interface ResponseReport {
  usage?: TokenUsage;
  units?: ReportedUnits;
  tiers?: TierWords;
  stopReason?: StopReason;
  rawStopReason?: string;
  responseId?: string;
  model?: string;
  itemIds?: string[];
  /** The output tokens: reported, or estimated if the answer has no usage. */
  outputTokensEstimate: number;
}

/** What an upstream reports of its consumption. */
export type ReportedCounts = Pick<NormalisedResponse, 'usage' | 'serviceTier'>;

export interface Format {
  readonly name: FormatName;
  /**
   * The format of this one's streams. An upstream stream of that format can be passed on unchanged
   * to a client of this one.
   */
  readonly streamsAs: FormatName;
  /** An answer that has failed can say so beside its output. Absent: it would look complete. */
  readonly tellsFailure?: true;
  /** The content type of a streamed answer. */
  readonly streamContentType: string;

  /**
   * Reads a client's payload.
   * @throws GatewayError `invalid_request` or `unsupported_parameter`, `param` naming the path
   */
  decodeRequest(body: JsonObject, context: DecodeContext): NormalisedRequest;
  /**
   * The server tools of a request: those that the provider runs.
   * @throws GatewayError `invalid_request` when there are too many
   */
  serverTools(request: NormalisedRequest): ServerTool[];
  /**
   * Encodes a payload for an upstream. A request decoded from this same format keeps every field,
   * known or not.
   * @throws GatewayError `unsupported_parameter` when `strict` and something would be dropped
   */
  encodeRequest(request: NormalisedRequest, target: TargetContext): EncodedRequest;

  /**
   * Reads an upstream's unary answer.
   * @throws GatewayError `upstream_error` when it is not an answer
   */
  decodeResponse(body: unknown): NormalisedResponse;
  /** What a unary answer reports for the bill, even one that failed. Never throws. */
  decodeReported(body: JsonObject): ReportedCounts;
  /** Writes a unary answer for a client. */
  encodeResponse(response: NormalisedResponse, context: ReplyContext): JsonObject;
  /**
   * Reads what the ledger needs from a unary answer that is passed on unchanged.
   * @throws GatewayError `upstream_error` when it is not an answer
   */
  inspectResponse(bytes: Buffer, parsed?: unknown): ResponseReport;

  createStreamDecoder(): StreamDecoder;
  createStreamEncoder(context: ReplyContext): StreamEncoder;
  createUsageTap(options: UsageTapOptions): UsageTap;

  /**
   * Maps an upstream error response (a status of 300 or more and its body, perhaps not JSON) to the
   * error for the client.
   */
  decodeError(status: number, headers: UpstreamHeaders, body: Buffer): GatewayError;
  /** Writes an error for a client, before the first byte of an answer. */
  encodeError(error: GatewayError, context: ErrorContext): EncodedError;
  /** Writes an error as the last event of a stream that has begun. */
  encodeStreamError(error: GatewayError, context: ErrorContext): string;
  /** A comment or keep-alive that clients ignore; empty in formats without comments. */
  encodeComment(text: string): string;
}

/** Header names in lower case, as node and undici give them. */
export type UpstreamHeaders = Record<string, string | string[] | undefined>;
