import { createJsonEncoder } from './otlp-json';
import { createProtobufEncoder } from './otlp-protobuf';
import type { FinishedTrace, OtlpProtocol, SpanSource } from './span';

/**
 * Encodes spans as the collector reads them. What it returns shares its memory with nothing else: traces wait, and
 * requests move to another thread.
 */
export interface OtlpEncoder {
  /** The spans of one trace, for `request`. */
  readonly trace: (trace: FinishedTrace) => Uint8Array;
  /** A whole request, of the spans of several traces. */
  readonly request: (traces: readonly Uint8Array[]) => Uint8Array<ArrayBuffer>;
}

export function createOtlpEncoder(protocol: OtlpProtocol, source: SpanSource): OtlpEncoder {
  return protocol === 'http/json' ? createJsonEncoder(source) : createProtobufEncoder(source);
}
