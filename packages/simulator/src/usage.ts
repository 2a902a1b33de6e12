// The usage of a request by class: the counted input, distributed by the directives, and the
// generated output.

import { emptyUsage, type BilledUsage } from './bill';
import type { Directives } from './directives';
import type { InputCount } from './tokens';

export interface CacheUse {
  read: number;
  write: number;
  write1h: number;
}

export interface UsageOptions {
  /** Of all choices. */
  reasoning?: number;
  /** The use of the format's own cache; directives take precedence. */
  cache?: CacheUse | undefined;
}

export function usageOf(
  count: InputCount,
  directives: Directives,
  generated: number,
  { cache, reasoning = 0 }: UsageOptions = {},
): BilledUsage {
  let left = directives.input ?? count.text;
  const take = (wanted: number): number => {
    const taken = Math.min(wanted, left);
    left -= taken;
    return taken;
  };
  const cacheRead = take(directives.cached ?? cache?.read ?? 0);
  const cacheWrite = take(directives['cache-write'] ?? cache?.write ?? 0);
  const cacheWrite1h = take(directives['cache-write-1h'] ?? cache?.write1h ?? 0);
  const audioOutput = Math.min(directives['audio-output'] ?? 0, generated);
  const imageOutput = Math.min(directives['image-output'] ?? 0, generated - audioOutput);
  const output = generated - audioOutput - imageOutput;
  return {
    input: left,
    cacheRead,
    cacheWrite,
    cacheWrite1h,
    audioInput: directives['audio-input'] ?? count.audio,
    imageInput: directives['image-input'] ?? count.image ?? 0,
    output,
    audioOutput,
    imageOutput,
    reasoning: Math.min(reasoning, output),
  };
}

export function inputOf(usage: BilledUsage): number {
  const { audioInput, cacheRead, cacheWrite, cacheWrite1h, imageInput, input } = usage;
  return input + cacheRead + cacheWrite + cacheWrite1h + audioInput + imageInput;
}

export function outputOf({ audioOutput, imageOutput, output }: BilledUsage): number {
  return output + audioOutput + imageOutput;
}

/** Of an operation that only reads. */
export function inputOnly(count: number, directives: Directives): BilledUsage {
  return { ...emptyUsage(), input: directives.input ?? count };
}
