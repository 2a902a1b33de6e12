// Runs on a thread of its own, so that neither loading the tokeniser nor a text that is hard for it
// keeps the event loop from its work. Imports nothing of ours: it is started as a file.

import { parentPort } from 'node:worker_threads';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

const port = parentPort;

// What looks like one of the model's own marks is text here.
const AS_TEXT = { disallowedSpecial: new Set<string>() };

port?.on('message', ({ id, pieces }: { id: number; pieces: readonly string[] }) => {
  let tokens = 0;
  for (const piece of pieces) tokens += countTokens(piece, AS_TEXT);
  port.postMessage({ id, tokens });
});
