import { HEADER_INPUTS } from './header-inputs';
import type { Input } from './input';
import { JSON_INPUTS } from './json-inputs';
import { PACKED_INPUTS } from './packed-inputs';
import { SLOW_INPUTS } from './slow-inputs';
import { UPSTREAM_INPUTS } from './upstream-inputs';

/** A baseline: the effect of the machine alone on the other callers. */
const NOTHING: Input = { name: 'nothing', run: () => Promise.resolve({ answers: [] }) };

/** The inputs of `npm run abuse`, in order. */
export const INPUTS: readonly Input[] = [
  NOTHING,
  ...HEADER_INPUTS,
  ...JSON_INPUTS,
  ...PACKED_INPUTS,
  ...SLOW_INPUTS,
  ...UPSTREAM_INPUTS,
];

/** The inputs of continuous integration: about a minute. */
export const SHORT: readonly string[] = [
  'nothing',
  'request: 100 headers, good key',
  'request: 200 pipelined requests, made-up key',
  'request: content-length with transfer-encoding, good key',
  'chat messages [[],…], 1 MiB, no key',
  'chat messages [{},…], 8 MiB, made-up key',
  'chat messages [{},…], 8 MiB, good key',
  'chat tools [{},…], 1 MiB, made-up key',
  'messages messages [{},…], 1 MiB, made-up key',
  'chat top-level fields, 8 MiB, good key',
  'chat 17-digit integers, 8 MiB, good key',
  'chat nesting [[[[…, 8 MiB, good key',
  'responses input [{},…], 8 MiB, good key',
  'embeddings input [[],…], 8 MiB, good key',
  'packed: gzip bomb, made-up key',
  'packed: gzip bomb, good key',
  '40 × 20 MiB JSON, last byte withheld (chunked), made-up key',
  '40 × 20 MiB JSON, last byte withheld (length), good key',
  '1 × 20 MiB audio form, last byte withheld (length), made-up key',
  'upstream: choices [{},…] of 60 MB',
  'upstream: a million events of {}',
  'upstream: gzip that unpacks to 1 GiB',
  'upstream: a 400 that never ends',
];
