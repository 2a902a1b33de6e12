// Runs in a worker thread, so that neither loading the tokeniser nor a hard text blocks the event
// loop. It is loaded as a file, so it imports none of our modules.

import { parentPort } from 'node:worker_threads';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

const port = parentPort;

// Text that looks like a special token is counted as text.
const AS_TEXT = { disallowedSpecial: new Set<string>() };

port?.on('message', ({ id, pieces }: { id: number; pieces: readonly string[] }) => {
  let tokens = 0;
  for (const piece of pieces) tokens += countTokens(piece, AS_TEXT);
  port.postMessage({ id, tokens });
});
