// What a codec is. Every format folder exports one `Format`; `index.ts` registers it. Codecs are
// pure: bytes and objects in, bytes and objects out, no clock, no I/O.

import type { GatewayError, ProviderType, TokenUsage } from '@tollgate/contracts';
import type { AnswerChanges } from './answer-changes';
import type { OutputBuffer } from './output-buffer';
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
import type { ServerTool } from './server-tools';

/** What a request says outside its body. */
export interface DecodeContext {
  /** The model named by the path, where the format puts it there. */
  model?: string;
  /** Whether the path asks for a stream, where the format puts it there. */
  stream?: boolean;
  /** Whether the path asks for several answers at once, where the format puts it there. */
  batch?: boolean;
}

/** Where an encoded request is going. */
export interface TargetContext {
  /** Providers of one format differ in what they take of it; a codec keeps that as rows of a table. */
  providerType: ProviderType;
  /** The model's name at the upstream. */
  model: string;
  /** The output bound that was held, sent upstream; absent: send no bound but the client's. */
  maxOutputTokens?: number;
  /** The bound that was held for server tools without one of the client's own; absent: there are none. */
  maxToolCalls?: number;
  /**
   * Refuse with `unsupported_parameter` instead of dropping what the target cannot express.
   */
  strict: boolean;
}

export interface EncodedRequest {
  body: JsonObject;
  /** Paths of what could not be said in the target's format, in the client's spelling. */
  dropped: string[];
  /** What answers are given back without; absent where nothing of them changes. */
  changes?: AnswerChanges;
}

/** What an answer says that only the gateway knows. */
export interface ReplyContext {
  requestId: string;
  /** The wire label of the provider that answered. */
  provider: string;
  /** The model as the client named it, which its answer says. */
  model: string;
  /** Seconds since the epoch, for formats that date their answers. */
  createdAtS: number;
  /** Whether the client wants to see usage in its stream. */
  includeUsage: boolean;
  /** Tokens of the input, counted cautiously, for formats that tell them ahead of the output. */
  inputTokensEstimate?: number;
  /** What unary answers without usage say instead. */
  estimatedUsage?: TokenUsage;
  /** Write tool calls in the older `functions` style. */
  legacyFunctions?: boolean;
  /** What was asked, for formats whose answers repeat it. */
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
}

export interface StreamDecoder {
  /** Takes the upstream's bytes, cut anywhere. Never throws: garbage becomes an `error` event. */
  push(bytes: Uint8Array): StreamEvent[];
  /** The upstream closed. Yields an `error` event unless `end` or `error` has been given before. */
  finish(): StreamEvent[];
}

export interface StreamEncoder {
  /** The text to send for an event; empty when the format has nothing to say for it. */
  encode(event: StreamEvent): string;
  /**
   * Set once the stream had to be ended by an error event of the encoder's own, since what came cannot
   * be written: whatever the upstream says of it, the client has no whole answer.
   */
  readonly failure?: GatewayError | undefined;
}

/** What is known of a stream so far; complete once `terminal` or `fault` is set. */
export interface StreamReport {
  /** The last usage the upstream reported. */
  usage?: TokenUsage;
  /** What was billed beside tokens. */
  units?: ReportedUnits;
  /**
   * The input as the upstream counted it ahead of the output, of which it says nothing. What a
   * stream that was broken off is charged for is this and the estimate of its output.
   */
  inputUsage?: TokenUsage;
  stopReason?: StopReason;
  rawStopReason?: string;
  responseId?: string;
  /** The model as the upstream calls it. */
  model?: string;
  /** An event carrying generated output went by. */
  outputSeen: boolean;
  /** A cautious running estimate of the output, over all choices, for holds and aborted streams. */
  outputTokensEstimate: number;
  /** How many pieces the output came in, over all choices. Servers send at least a token in each. */
  outputPieces: number;
  /** The format's terminal event was seen. */
  terminal: boolean;
  /** Set at most once; `error` is then what the client is told. */
  fault?: StreamFault;
  error?: GatewayError;
}

/**
 * Watches a stream that is passed on in its own format. Whole events come out; an event that is cut
 * off by the end of the upstream never does, so that an error event can follow what was sent.
 */
export interface UsageTap {
  /**
   * Takes the upstream's bytes, cut anywhere, and gives those to pass on. Never throws. The
   * upstream's own error event is kept back and shows in the report instead; what follows a
   * terminal or faulty event is dropped. The terminal event stands alone, as the last buffer, so
   * that something may be said before it.
   */
  push(bytes: Buffer): Buffer[];
  /**
   * The upstream closed: sets the fault EARLY_END unless the stream was complete. Gives what is left
   * to pass on, when the terminal event lacked only its blank line.
   */
  finish(): Buffer[];
  readonly report: StreamReport;
  /** What was said, for as long as nobody has counted it. */
  readonly output: OutputBuffer;
  /**
   * How the stream is ended before its time, in formats where that depends on what was sent before.
   * Absent: `encodeStreamError`, or the end written by an encoder of its own, does.
   */
  readonly ending?: StreamEnding;
}

/** Each gives the text of the last events of a stream. */
export interface StreamEnding {
  /** As failed. */
  fail(error: GatewayError): string;
  /** As at a bound of the output. */
  cut(tokens: TokenUsage): string;
}

export interface UsageTapOptions {
  /** Keep the usage from the client, who did not ask for it. */
  stripUsage: boolean;
  /** Keep counts that come with pieces of output from the client, who asked for the totals only. */
  stripRunningUsage?: boolean;
  /** Pass on nothing but `data: ` lines: no comments, no names of events. */
  dataLinesOnly?: boolean;
}

/** What passes through unread in a unary answer, but for this. */
export interface ResponseReport {
  usage?: TokenUsage;
  units?: ReportedUnits;
  stopReason?: StopReason;
  rawStopReason?: string;
  responseId?: string;
  model?: string;
  /** The size of the output: what was reported, or an estimate for answers without usage. */
  outputTokensEstimate: number;
}

export interface Format {
  readonly name: FormatName;
  /**
   * The format whose streams this one's are. An upstream stream of that format can be passed on to
   * a client of this one byte for byte.
   */
  readonly streamsAs: FormatName;
  /** The content type of a streamed answer. */
  readonly streamContentType: string;

  /**
   * Reads a client's payload.
   * @throws GatewayError `invalid_request` or `unsupported_parameter`, `param` naming the path
   */
  decodeRequest(body: JsonObject, context: DecodeContext): NormalisedRequest;
  /**
   * The tools of a request of this format that the provider runs by itself.
   * @throws GatewayError `invalid_request` when there are too many
   */
  serverTools(request: NormalisedRequest): ServerTool[];
  /**
   * Writes a payload for an upstream. A request that was decoded from this same format keeps every
   * field it came with, known here or not.
   * @throws GatewayError `unsupported_parameter` when `strict` and something would be dropped
   */
  encodeRequest(request: NormalisedRequest, target: TargetContext): EncodedRequest;

  /**
   * Reads an upstream's unary answer.
   * @throws GatewayError `upstream_error` when it is not an answer
   */
  decodeResponse(body: unknown): NormalisedResponse;
  /** Writes a unary answer for a client. */
  encodeResponse(response: NormalisedResponse, context: ReplyContext): JsonObject;
  /**
   * Reads what the ledger needs from a unary answer that is passed on as it is.
   * @throws GatewayError `upstream_error` when it is not an answer
   */
  inspectResponse(bytes: Buffer, parsed?: unknown): ResponseReport;

  createStreamDecoder(): StreamDecoder;
  createStreamEncoder(context: ReplyContext): StreamEncoder;
  createUsageTap(options: UsageTapOptions): UsageTap;

  /**
   * Turns an upstream's refusal (a status of 300 or more and its body, perhaps not JSON) into the
   * error the client is told.
   */
  decodeError(status: number, headers: UpstreamHeaders, body: Buffer): GatewayError;
  /** Writes an error for a client, before the first byte of an answer. */
  encodeError(error: GatewayError, context: ErrorContext): EncodedError;
  /** Writes an error as the last event of a stream that has begun. */
  encodeStreamError(error: GatewayError, context: ErrorContext): string;
  /** A remark or keep-alive that clients ignore; empty where the format has no room for one. */
  encodeComment(text: string): string;
}

/** Header names in lower case, as node and undici give them. */
export type UpstreamHeaders = Record<string, string | string[] | undefined>;
