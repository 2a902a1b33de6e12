// Decides before anything is built whether a request is traced.

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

/**
 * `caller`: the request is traced only because its caller asked for it, so that a request whose key turns
 * out to be unknown is not.
 */
export type Sampling = 'no' | 'own' | 'caller';

export interface Sampler {
  /** A request that continues a trace of its caller. */
  readonly continued: (traceId: string, callerSampled: boolean) => Sampling;
  /** A request that begins a trace, by the id (UUIDv7) that the trace id is made of. */
  readonly begun: (requestId: string) => Sampling;
}

export interface SamplerOptions {
  readonly name: SamplerName;
  /** From 0 to 1; only for the samplers with a ratio. */
  readonly ratio: number;
  /** Whether a caller's sampled flag counts. If not, the flag can only switch tracing off. */
  readonly trustCallers: boolean;
}

export function createSampler({ name, ratio, trustCallers }: SamplerOptions): Sampler {
  const threshold = digitsOf(1 - ratioOf(name, ratio));
  const byId = (id: string, from: number): Sampling =>
    isSampled(id, from, threshold) ? 'own' : 'no';
  const parentBased = name.startsWith('parentbased_');
  return {
    begun: (requestId) => byId(requestId, RANDOM_IN_UUID),
    continued: (traceId, callerSampled) => {
      if (parentBased && !callerSampled) return 'no';
      const own = byId(traceId, RANDOM_IN_TRACE_ID);
      return own === 'no' && parentBased && trustCallers ? 'caller' : own;
    },
  };
}

function ratioOf(name: SamplerName, ratio: number): number {
  if (name.endsWith('always_on')) return 1;
  return name.endsWith('always_off') ? 0 : ratio;
}

/** The last seven bytes of a trace id are random. Of their 56 bits a number holds 52 exactly. */
const DIGITS = 13;
const RANDOM_VALUES = 2 ** 52;
const RANDOM_IN_TRACE_ID = 18;
/** The same digits, in an id with dashes. */
const RANDOM_IN_UUID = 21;
const DASH = 45;

/** The part of all random values, in hexadecimal digits. Undefined: it is all of them. */
function digitsOf(part: number): string | undefined {
  const value = Math.ceil(part * RANDOM_VALUES);
  return value < RANDOM_VALUES ? value.toString(16).padStart(DIGITS, '0') : undefined;
}

/**
 * As OpenTelemetry's consistent samplers do, so that a later one with a smaller ratio keeps a part of these:
 * the random digits of the id are at least the threshold. The first digit that differs decides.
 */
function isSampled(id: string, from: number, threshold: string | undefined): boolean {
  if (threshold === undefined) return false;
  let at = from;
  for (let digit = 0; digit < DIGITS; digit += 1, at += 1) {
    if (id.charCodeAt(at) === DASH) at += 1;
    const difference = id.charCodeAt(at) - threshold.charCodeAt(digit);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
