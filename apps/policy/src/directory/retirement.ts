import type { ModelRetirement__Output, Retirement } from '@tollgate/contracts/node';

/** The announced end of a model or of an alias. */
export interface PlannedRetirement {
  /** What clients are told. */
  readonly announced: Retirement;
  /** 0: never. */
  readonly sunsetAtMs: number;
  /** The model that answers from the sunset on; undefined: requests are refused then. */
  readonly successorId: string | undefined;
}

/** `nameOf` knows the models that can be used; a replacement that is none of them is not announced. */
export function plannedRetirement(
  name: string,
  wire: ModelRetirement__Output | null,
  nameOf: (modelId: string) => string | undefined,
): PlannedRetirement | undefined {
  if (wire === null) return undefined;
  const { deprecatedAtMs, onSunset, replacementModelId, sunsetAtMs, url } = wire;
  const replacement = nameOf(replacementModelId) ?? '';
  return {
    announced: { name, deprecatedAtMs, sunsetAtMs, replacement, url },
    sunsetAtMs,
    successorId: onSunset === 'REPLACE' && replacement !== '' ? replacementModelId : undefined,
  };
}

export function isPastSunset(retirement: PlannedRetirement | undefined, nowMs: number): boolean {
  return retirement !== undefined && retirement.sunsetAtMs > 0 && retirement.sunsetAtMs <= nowMs;
}
