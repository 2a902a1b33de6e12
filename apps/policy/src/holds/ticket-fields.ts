// Reads the fields of a ticket. Each function throws a RangeError if the value has another shape.

export const OTHER_SHAPE = 'the ticket has another shape';

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RangeError('the ticket is not a JSON list', { cause: error });
  }
}

export function list(value: unknown, length?: number): unknown[] {
  if (!Array.isArray(value) || (length !== undefined && value.length !== length)) {
    throw new RangeError(OTHER_SHAPE);
  }
  return value;
}

type Texts<N extends number, T extends string[] = []> = T['length'] extends N
  ? T
  : Texts<N, [...T, string]>;

export function texts<N extends number>(value: unknown, length: N): Texts<N> {
  return list(value, length).map(string) as Texts<N>;
}

export function string(value: unknown): string {
  if (typeof value !== 'string') throw new RangeError(OTHER_SHAPE);
  return value;
}

export function whole(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(OTHER_SHAPE);
  }
  return value;
}

export function digits(value: unknown): bigint {
  if (typeof value !== 'string' || !/^\d{1,30}$/.test(value)) {
    throw new RangeError(OTHER_SHAPE);
  }
  return BigInt(value);
}
