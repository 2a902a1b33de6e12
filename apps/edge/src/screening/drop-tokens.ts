import { isObject } from '../formats/json';

/**
 * Removes the tokens of a changed document, which would tell what its texts were: `logprobs` of a choice
 * becomes null, those of the responses format, at any depth, an empty list.
 */
export function dropTokens(value: unknown): void {
  if (Array.isArray(value)) {
    for (const inner of value) dropTokens(inner);
    return;
  }
  if (!isObject(value)) return;
  delete value['logprobsResult'];
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'logprobs') value[name] = Array.isArray(inner) ? [] : null;
    else dropTokens(inner);
  }
}
