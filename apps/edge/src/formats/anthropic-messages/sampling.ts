// Sampling parameters. The format has three; newer models accept fewer, and the newest none.

import type { DropList } from '../drop-list';
import { present } from '../json';
import type { JsonObject, Sampling } from '../normalised';
import type { Generation } from './generations';

/** The highest temperature of this format, half of other formats'; also the default. */
const MAX_TEMPERATURE = 1;
/** The lowest top_p that is allowed with thinking. */
const LEAST_TOP_P_THINKING = 0.95;

export function encodeSampling(
  sampling: Sampling,
  { samplers }: Pick<Generation, 'samplers'>,
  thinks: boolean,
  drops: DropList,
): JsonObject {
  const keep = <T>(value: T | undefined, keeps: boolean, path: string): T | undefined => {
    if (value !== undefined && !keeps) drops.drop(path);
    return keeps ? value : undefined;
  };
  const all = samplers === 'all';
  const some = samplers !== 'none';
  // Default values count as absent.
  let temperature = asked(sampling.temperature, MAX_TEMPERATURE);
  if (temperature !== undefined && temperature > MAX_TEMPERATURE) {
    drops.drop('temperature');
    temperature = undefined;
  }
  temperature = keep(temperature, some && !thinks, 'temperature');
  const topP = asked(sampling.topP, 1);
  const fits = !thinks || (topP !== undefined && topP >= LEAST_TOP_P_THINKING);
  return present({
    temperature,
    top_p: keep(topP, (all || (some && temperature === undefined)) && fits, 'top_p'),
    top_k: keep(sampling.topK, some && !thinks, 'top_k'),
    stop_sequences: encodeStop(sampling.stop, drops),
  });
}

function asked(value: number | undefined, unasked: number): number | undefined {
  return value === unasked ? undefined : value;
}

/** The vendor refuses blank stop sequences. */
function encodeStop(stop: string[] | undefined, drops: DropList): string[] | undefined {
  const sequences = stop?.filter((text) => text.trim() !== '') ?? [];
  if (sequences.length !== (stop?.length ?? 0)) drops.drop('stop');
  return sequences.length > 0 ? sequences : undefined;
}
