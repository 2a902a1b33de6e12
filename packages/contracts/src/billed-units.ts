import { BILLED_TOOLS } from './billed-tools';
import type { Unit } from './units';

// Everything that a supported upstream bills. docs/billed-units.md is written from this table.
// Tests in edge and policy prove for each row that something is held, or that it says why not.

/** What a request is held and charged by: a class of tokens, or a unit beside tokens. */
export type BilledBy = Unit | 'input tokens' | 'audio input tokens' | 'output tokens';

export interface BilledUnit {
  readonly id: string;
  readonly vendor: string;
  readonly what: string;
  readonly by: BilledBy;
  /** What bounds it before the call, and whether the upstream is told. */
  readonly bound: string;
  readonly held: string;
  /** Where the real count is read. */
  readonly read: string;
  /** Why nothing is held. Absent: something is. */
  readonly why?: string;
}

export const BILLED_UNITS: readonly BilledUnit[] = [
  {
    id: 'input',
    vendor: 'all',
    what: 'input: text, images, documents; read from a cache or written to one',
    by: 'input tokens',
    bound: 'the request itself',
    held: 'an estimate that leans high, at the dearest price of the list but that of audio',
    read: '`usage`, by class; what is above the estimate is booked and reported as a shortfall',
  },
  {
    id: 'audio_input',
    vendor: 'OpenAI, Gemini, vLLM',
    what: 'spoken input',
    by: 'audio input tokens',
    bound: 'the request itself',
    held: 'an estimate from the size of the sound, at the price of audio',
    read: '`usage` by modality',
  },
  {
    id: 'output',
    vendor: 'all',
    what: 'output: text, reasoning, audio, images',
    by: 'output tokens',
    bound: 'the request’s own bound, else the model’s, sent upstream',
    held: 'the bound, times the answers asked for, at the dearest of the prices of text and images, and of audio if it is asked for; long streams hold it in steps',
    read: '`usage`, by modality',
  },
  {
    id: 'image',
    vendor: 'OpenAI, vLLM and look-alikes `/v1/images/*`',
    what: 'generated images',
    by: 'image_high_1024x1024',
    bound: '`n`',
    held: 'the images asked for, by size and quality, where the model has a unit price; the dearest image where either is open (absent, `auto`)',
    read: 'the images of the answer',
  },
  {
    id: 'image_output',
    vendor: 'OpenAI and look-alikes `/v1/images/*`',
    what: 'images that are billed in tokens',
    by: 'output tokens',
    bound: '`n`; the tokens of an image cannot be bounded',
    held: 'the tokens of that size and quality (`auto`: the highest)',
    read: '`usage`, text and images apart',
  },
  {
    id: 'audio_second',
    vendor: 'OpenAI, vLLM and look-alikes `/v1/audio/transcriptions`, `/v1/audio/translations`',
    what: 'heard sound',
    by: 'audio_second',
    bound: 'the length of the file',
    held: 'the most seconds that a file of this size can have',
    read: '`usage.seconds`, `duration`, the last timestamp, else the likely seconds of the file, also beside reported tokens: a price by the second and by tokens charges both',
  },
  {
    id: 'character',
    vendor: 'OpenAI, vLLM and look-alikes `/v1/audio/speech`',
    what: 'text turned into speech',
    by: 'character',
    bound: 'the text',
    held: 'its characters',
    read: 'the same characters',
  },
  {
    id: 'speech_output',
    vendor: 'OpenAI and look-alikes `/v1/audio/speech`',
    what: 'speech that is billed in tokens',
    by: 'output tokens',
    bound: 'the text; the tokens of its sound cannot be bounded',
    held: 'the tokens of slow speech, by the characters and the `speed`',
    read: '`usage` of an event stream, else the held tokens',
  },
  {
    id: 'document',
    vendor: 'vLLM and look-alikes, score and rerank',
    what: 'documents compared',
    by: 'document',
    bound: 'the documents of the request',
    held: 'their number',
    read: 'the same number',
  },
  ...BILLED_TOOLS,
  {
    id: 'client_tools',
    vendor: 'all',
    what: 'functions, computer use, browsers, shells and editors that the client runs',
    by: 'input tokens',
    bound: 'the next request, which brings their results',
    held: 'nothing beyond the request itself',
    read: '`usage`',
    why: 'the provider runs nothing; their results are the input of a request that is held by itself',
  },
  {
    id: 'storage',
    vendor: 'OpenAI, Anthropic, Gemini',
    what: 'storage: files, vector stores, cached content by the hour',
    by: 'input tokens',
    bound: 'nothing in a request',
    held: 'nothing',
    read: 'not told in an answer',
    why: 'it is billed by time to the provider’s account, made by routes that the gateway does not serve',
  },
];
