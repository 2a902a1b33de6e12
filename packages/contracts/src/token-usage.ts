// Tokens by class, as they are counted, priced and booked.

/**
 * Tokens by disjoint class. `reasoning` is a sub-count of `output` and never added to it. The names
 * are those of the wire type, so no mapping is needed.
 */
export interface TokenUsage {
  input: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  audioInput: number;
  imageInput: number;
  output: number;
  audioOutput: number;
  imageOutput: number;
  reasoning: number;
}

export function emptyUsage(): TokenUsage {
  return {
    input: 0,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    audioInput: 0,
    imageInput: 0,
    output: 0,
    audioOutput: 0,
    imageOutput: 0,
    reasoning: 0,
  };
}

/** Class by class. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const total = { ...a };
  for (const name of Object.keys(total) as (keyof TokenUsage)[]) total[name] += b[name];
  return total;
}

/** All input classes together: the provider's length of the input. */
export function tokensIn(usage: TokenUsage): number {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, audioInput, imageInput } = usage;
  return input + cacheRead + cacheWrite5m + cacheWrite1h + audioInput + imageInput;
}

export function tokensOut(usage: TokenUsage): number {
  return usage.output + usage.audioOutput + usage.imageOutput;
}

/**
 * The same tokens as if the provider had cached nothing: what was read from its caches, and written to them, is
 * plain input.
 */
export function withoutCaches(usage: TokenUsage): TokenUsage {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h } = usage;
  return {
    ...usage,
    input: input + cacheRead + cacheWrite5m + cacheWrite1h,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
  };
}

/** Whether a provider's caches were read or written. */
export function usedCaches({ cacheRead, cacheWrite5m, cacheWrite1h }: TokenUsage): boolean {
  return cacheRead + cacheWrite5m + cacheWrite1h > 0;
}
