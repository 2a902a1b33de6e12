// How a request selects behaviour: by the model's name, which a gateway passes on, or by the header
// `x-sim-directives` of a direct call. A name has directives if it starts with `sim`; they are
// joined with `+` or `.`, each with or without its own `sim-`: `sim-pace-20+cut-after-3`,
// `sim-tokens-500.sim-no-usage`. Words that are not directives are ignored, so `sim-mini` is just a
// name.

export interface Directives {
  /** Answer with this status and an error body. */
  status?: number;
  /** Send this as Retry-After (seconds) with the status. */
  'retry-after'?: number;
  /** Answer the first N requests for this model and key with 503, and later ones normally. */
  'fail-first'?: number;
  /** Never answer. */
  timeout?: true;
  /** Refuse the prompt as longer than the model's context, in the vendor's words. */
  'too-long'?: true;
  /** Break the connection instead of answering. */
  reset?: true;
  /** Send N bytes of additional headers. */
  head?: number;
  /** Set the content type to HTML, whatever the answer. */
  html?: true;
  /** Send the terminal event of a stream twice. */
  twice?: true;
  /** Send N tokens, then nothing, with the connection open. */
  'stall-after'?: number;
  /** Send N tokens, then break the connection. */
  'cut-after'?: number;
  /** Send N tokens, then end the answer as if it were complete, without its last event. */
  'end-after'?: number;
  /** Send N bytes of the answer's body, then break the connection. */
  'cut-at'?: number;
  /** Send N bytes of the answer's body, then end it as if it were complete. */
  'end-at'?: number;
  /** Send N tokens, then an error event. */
  'error-after'?: number;
  /** Send bytes that are not an answer. */
  garbage?: true;
  /** Send N tokens, then an event that is not JSON. */
  'garbage-after'?: number;
  /** Wait this many milliseconds before the first byte. */
  'slow-first-byte'?: number;
  /** Wait this many milliseconds before each token. */
  pace?: number;
  /**
   * OpenAI's chat: usage as other servers send it: with the finish reason, in every chunk, in the
   * choice.
   */
  'usage-with-finish'?: true;
  'usage-running'?: true;
  'usage-in-choice'?: true;
  /**
   * OpenAI's chat: usage as Groq first sent it, in a separate field of the chunk with the finish
   * reason.
   */
  'x-groq'?: true;
  /** OpenAI's chat: start with Azure's chunk of filter results, which has no choices. */
  'prompt-filter'?: true;
  /** OpenAI's chat: omit the delta in the chunk with the finish reason. */
  'bare-finish'?: true;
  /** OpenAI's chat: set the role in every chunk. */
  'repeat-role'?: true;
  /** OpenAI's chat: write text and thinking as parts, as Mistral does. */
  parts?: true;
  /** OpenAI's chat: give every tool call the index 0, as Gemini's compatible endpoint does. */
  'one-index'?: true;
  /**
   * Write `data:` without the space after it, and spaces around the `[DONE]` of OpenAI's streams.
   */
  unspaced?: true;
  'spaced-done'?: true;
  /** Process with the standard tier, whatever the request asks for. */
  standard?: true;
  /** Report no usage, even if requested. */
  'no-usage'?: true;
  /** Answer with exactly N tokens, unless the request's own bound is lower. */
  tokens?: number;
  /** Ignore the request's output bound. */
  overlong?: true;
  /** Count the input as N tokens. */
  input?: number;
  /**
   * Report N of the input tokens as read from the cache, or as written to it (for five minutes, an
   * hour).
   */
  cached?: number;
  'cache-write'?: number;
  'cache-write-1h'?: number;
  /**
   * Cache the beginning of prompts, from 1,024 tokens on, as vendors do; prefixes are kept for N seconds
   * after their last use (default 300).
   */
  caches?: true;
  'cache-ttl'?: number;
  /** Count N audio tokens as input; report N of the output tokens as audio. */
  'audio-input'?: number;
  'audio-output'?: number;
  /** Likewise images; Gemini counts those of the request without it. */
  'image-input'?: number;
  'image-output'?: number;
  /**
   * Run N searches if the request has a tool for them, within its bound; each adds 500 input
   * tokens.
   */
  searches?: number;
  /** Run code N times, in one container, if the request has a tool for it. */
  runs?: number;
  /** Think for N tokens before the answer, counted as output. */
  reasoning?: number;
  /** Anthropic: return thinking only as redacted blocks. */
  redact?: true;
  /** Gemini: neither issue nor require signatures of thinking, as older models. */
  unsigned?: true;
  /** Refuse instead of answering. */
  refuse?: true;
  /** Gemini: block the prompt instead of answering. */
  block?: true;
  /** Add citations, even if not requested. */
  cite?: true;
  /** Set this finish reason, in the format's own words: `finish-content_filter`. */
  finish?: string;
  /** Responses: fail at the end. */
  failed?: true;
  /** Responses in the background: complete at the Nth read. */
  steps?: number;
  /** Answer with the JSON of the request's parameters, without its messages. */
  params?: true;
  /** Send a keep-alive before each token, where the format has one. */
  pings?: true;
  /** Use vLLM's variant of OpenAI's formats: its errors and its audio. */
  vllm?: true;
  /** Write errors of OpenAI's formats as OpenRouter does: a message and the status as the code. */
  openrouter?: true;
  /** Transcriptions: report tokens instead of seconds. */
  'usage-tokens'?: true;
  /** End lines with CRLF. */
  crlf?: true;
  /** Write a stream in pieces of N bytes. */
  split?: number;
  /** Compress the answer, streamed or not. */
  gzip?: true;
  br?: true;
}

type Word = 'finish';
type Flag = {
  [K in keyof Directives]-?: Directives[K] extends true | undefined ? K : never;
}[keyof Directives];
type Amount = Exclude<keyof Directives, Flag | Word>;

const FLAGS: Readonly<Record<Flag, true>> = {
  timeout: true,
  'too-long': true,
  reset: true,
  html: true,
  twice: true,
  garbage: true,
  'usage-with-finish': true,
  'usage-running': true,
  'usage-in-choice': true,
  'x-groq': true,
  'prompt-filter': true,
  'bare-finish': true,
  'repeat-role': true,
  parts: true,
  'one-index': true,
  unspaced: true,
  'spaced-done': true,
  standard: true,
  'no-usage': true,
  caches: true,
  overlong: true,
  redact: true,
  unsigned: true,
  refuse: true,
  block: true,
  cite: true,
  failed: true,
  params: true,
  pings: true,
  vllm: true,
  openrouter: true,
  'usage-tokens': true,
  crlf: true,
  gzip: true,
  br: true,
};

/** The maximum of each amount, so that no request exhausts the simulator. */
const AMOUNTS: Readonly<Record<Amount, number>> = {
  status: 599,
  'retry-after': 1_000_000,
  'fail-first': 1_000_000,
  'stall-after': 1_000_000,
  'cut-after': 1_000_000,
  'end-after': 1_000_000,
  'cut-at': 100_000_000,
  'end-at': 100_000_000,
  'error-after': 1_000_000,
  'garbage-after': 1_000_000,
  head: 1_000_000,
  'slow-first-byte': 600_000,
  pace: 60_000,
  tokens: 200_000,
  input: 100_000_000,
  cached: 100_000_000,
  'cache-write': 100_000_000,
  'cache-write-1h': 100_000_000,
  'cache-ttl': 86_400,
  'audio-input': 100_000_000,
  'audio-output': 200_000,
  'image-input': 100_000_000,
  'image-output': 200_000,
  reasoning: 1_000_000,
  searches: 1_000,
  runs: 1_000,
  steps: 1_000_000,
  split: 1_000_000,
};

export function readDirectives(model: string, header: string | undefined): Directives {
  const named = model.startsWith('sim') ? model.split(/[+.]/) : [];
  const asked = header === undefined ? [] : header.split(/[+.,\s]+/);
  const directives: Directives = {};
  for (const word of [...named, ...asked]) readWord(word.replace(/^sim-/, ''), directives);
  return directives;
}

function readWord(word: string, directives: Directives): void {
  if (Object.hasOwn(FLAGS, word)) {
    directives[word as Flag] = true;
    return;
  }
  const finish = /^finish-(\w{1,64})$/.exec(word)?.[1];
  if (finish !== undefined) directives.finish = finish;
  const dash = word.lastIndexOf('-');
  const name = word.slice(0, dash);
  const digits = word.slice(dash + 1);
  if (dash === -1 || !/^\d{1,9}$/.test(digits) || !Object.hasOwn(AMOUNTS, name)) return;
  const amount = name as Amount;
  directives[amount] = Math.min(Number(digits), AMOUNTS[amount]);
}
