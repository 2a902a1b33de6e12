import type { RefusedSum } from '@tollgate/contracts/node';

/** A refused or failed request. */
export interface Refused {
  readonly code: string;
  /** Undefined: no key was sent. */
  readonly keySha256: Buffer | undefined;
  /** Whether policy knows the key; if not, anybody may have made it up. */
  readonly known: boolean;
  readonly model: string;
  readonly providerId: string;
  readonly limitId: string;
  readonly detailsJson: string;
  readonly requestId: string;
  readonly atMs: number;
}

export interface CauseSums {
  readonly note: (refused: Refused) => void;
  /** Returns the sums and starts anew. */
  readonly take: () => RefusedSum[];
}

export interface CauseSumsLimits {
  /** Causes of known keys. */
  readonly knownMost: number;
  /** Causes of requests whose key may be made up. */
  readonly unknownMost: number;
}

interface Sum {
  newest: Refused;
  count: number;
  firstAtMs: number;
}

const MODEL_MAX = 200;
const DETAILS_MAX = 4_000;

/**
 * Counts refused requests by cause in bounded memory. The counts of `take` add up to the calls of
 * `note`; a cause that finds no room is counted with others of its code.
 *
 * Unknown keys are counted as Misra and Gries do: where a new one finds no room, all counts fall by
 * one. So a key that is sent often stays, however many made-up ones come between.
 */
export function createCauseSums({ knownMost, unknownMost }: CauseSumsLimits): CauseSums {
  let known = new Map<string, Sum>();
  let unknown = new Map<string, Sum>();
  let others = new Map<string, Sum>();

  const note: CauseSums['note'] = (refused) => {
    const sums = refused.known ? known : unknown;
    const cause = causeOf(refused);
    const found = sums.get(cause);
    if (found !== undefined || sums.size < (refused.known ? knownMost : unknownMost)) {
      return add(sums, cause, refused);
    }
    add(others, refused.code, refused);
    if (!refused.known) lowerAll();
  };

  const lowerAll = (): void => {
    for (const [cause, sum] of unknown) {
      sum.count -= 1;
      add(others, sum.newest.code, sum.newest);
      if (sum.count === 0) unknown.delete(cause);
    }
  };

  const take: CauseSums['take'] = () => {
    const told = [...known.values(), ...unknown.values()].map((sum) => messageOf(sum, false));
    for (const sum of others.values()) told.push(messageOf(sum, true));
    known = new Map();
    unknown = new Map();
    others = new Map();
    return told;
  };

  return { note, take };
}

function add(sums: Map<string, Sum>, cause: string, refused: Refused): void {
  const sum = sums.get(cause);
  if (sum === undefined) {
    sums.set(cause, { newest: refused, count: 1, firstAtMs: refused.atMs });
    return;
  }
  sum.count += 1;
  sum.firstAtMs = Math.min(sum.firstAtMs, refused.atMs);
  if (refused.atMs >= sum.newest.atMs) sum.newest = refused;
}

function causeOf({ code, keySha256, model, providerId, limitId }: Refused): string {
  return `${code} ${keySha256?.toString('latin1') ?? ''} ${limitId} ${providerId} ${model}`;
}

function messageOf({ newest, count, firstAtMs }: Sum, other: boolean): RefusedSum {
  const { code, requestId, atMs } = newest;
  const sum = { code, count, firstAtMs, lastAtMs: atMs, requestId, other };
  if (other) return sum;
  const { keySha256, model, providerId, limitId, detailsJson } = newest;
  return {
    ...sum,
    keySha256: keySha256 ?? Buffer.alloc(0),
    model: model.slice(0, MODEL_MAX),
    providerId,
    limitId,
    detailsJson: detailsJson.length > DETAILS_MAX ? '' : detailsJson,
  };
}
