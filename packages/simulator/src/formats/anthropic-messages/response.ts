// Anthropic messages: the answer as content blocks, unary and as events.

import { SOURCE, THOUGHT, type Answer } from '../../answer';
import type { BilledUsage } from '../../bill';
import type { JsonObject } from '../../json';
import type { Frame } from '../../reply';
import { seal } from '../../seal';
import type { MessageTiers } from '../../tiers';
import { FOUND_SEAL, PLACE_SEAL, redactedPurpose, signatureOf } from './checks';
import type { SourceDocument } from './request';
import { deltaUsage, messageUsage, NOTHING_RAN, type Ran } from './usage';

export interface Heading {
  id: string;
  model: string;
  tiers: MessageTiers;
}

/** A block, its start event, and its deltas of one token each. */
export interface Block {
  whole: JsonObject;
  start: JsonObject;
  pieces: JsonObject[];
  /** Final deltas without a token. */
  last: JsonObject[];
  /** The number of tokens that are not sent. */
  hidden: number;
}

export interface Manner {
  /** Thinking is sent as text, as a signature only, or redacted. */
  thoughts: 'text' | 'omitted' | 'redacted';
  documents: SourceDocument[];
  /** The query of web searches, and their number. */
  search: string;
  searches: number;
  /** The number of code runs. */
  runs: number;
  /** What a summary of the context took, beside the answer. */
  compaction: BilledUsage | undefined;
}

export const SUMMARY = 'They said hello.';

export function blocksFor(answer: Answer, id: string, manner: Manner): Block[] {
  const blocks: Block[] = [];
  if (manner.compaction !== undefined) blocks.push(SUMMARY_BLOCK);
  if (answer.reasoningTokens > 0) blocks.push(thoughtBlock(answer.reasoningTokens, id, manner));
  for (let at = 0; at < manner.searches; at++) {
    blocks.push(...searchBlocks(`${id}${at === 0 ? '' : `_${at}`}`, manner.search));
  }
  for (let at = 0; at < manner.runs; at++) blocks.push(...runBlocks(`${id}_run_${at}`));
  // The format has no empty texts.
  if (answer.pieces.length > 0) blocks.push(textBlock(answer, manner));
  for (const { key, name, pieces } of answer.calls) {
    const head = { type: 'tool_use', id: `toolu_${key}`, name, caller: { type: 'direct' } };
    blocks.push({
      whole: { ...head, input: parsed(pieces.join('')) },
      start: { ...head, input: {} },
      pieces: pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      last: [],
      hidden: 0,
    });
  }
  return blocks;
}

/** It arrives in one piece. */
const SUMMARY_BLOCK: Block = {
  whole: { type: 'compaction', content: SUMMARY, encrypted_content: null },
  start: { type: 'compaction', content: null, encrypted_content: null },
  pieces: [],
  last: [{ type: 'compaction_delta', content: SUMMARY, encrypted_content: null }],
  hidden: 0,
};

/** Truncated arguments are not a value. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function thoughtBlock(tokens: number, id: string, { thoughts }: Manner): Block {
  if (thoughts === 'redacted') {
    const whole = { type: 'redacted_thinking', data: seal(redactedPurpose, id) };
    return { whole, start: whole, pieces: [], last: [], hidden: tokens };
  }
  const shown = thoughts === 'text' ? tokens : 0;
  const thinking = THOUGHT.repeat(shown);
  const signature = signatureOf(thinking);
  return {
    whole: { type: 'thinking', thinking, signature },
    start: { type: 'thinking', thinking: '', signature: '' },
    pieces: Array.from({ length: shown }, () => ({ type: 'thinking_delta', thinking: THOUGHT })),
    last: [{ type: 'signature_delta', signature }],
    hidden: tokens - shown,
  };
}

function runBlocks(id: string): Block[] {
  const toolId = `srvtoolu_${id}`;
  const use = { type: 'server_tool_use', id: toolId, name: 'bash_code_execution' };
  const result = { type: 'bash_code_execution_result', stdout: '2\n', stderr: '', return_code: 0 };
  const ran = {
    type: 'bash_code_execution_tool_result',
    tool_use_id: toolId,
    content: { ...result, content: [] },
  };
  const input = { command: 'echo 2' };
  return [
    {
      whole: { ...use, input },
      start: { ...use, input: {} },
      pieces: [],
      last: [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }],
      hidden: 0,
    },
    { whole: ran, start: ran, pieces: [], last: [], hidden: 0 },
  ];
}

function searchBlocks(id: string, query: string): Block[] {
  const toolId = `srvtoolu_${id}`;
  const caller = { type: 'direct' };
  const use = { type: 'server_tool_use', id: toolId, name: 'web_search', caller };
  const found = {
    type: 'web_search_tool_result',
    tool_use_id: toolId,
    caller,
    content: [
      { type: 'web_search_result', ...SOURCE, encrypted_content: FOUND_SEAL, page_age: null },
    ],
  };
  const partial_json = JSON.stringify({ query });
  return [
    {
      whole: { ...use, input: { query } },
      start: { ...use, input: {} },
      pieces: [],
      last: [{ type: 'input_json_delta', partial_json }],
      hidden: 0,
    },
    { whole: found, start: found, pieces: [], last: [], hidden: 0 },
  ];
}

function textBlock(answer: Answer, { documents }: Manner): Block {
  const text = answer.pieces.join('');
  const citations = answer.cites ? [citationOf(documents)] : [];
  const cited = answer.cites ? { citations } : { citations: null };
  return {
    whole: { type: 'text', text, ...cited },
    start: { type: 'text', text: '', ...(answer.cites ? { citations: [] } : { citations: null }) },
    pieces: answer.pieces.map((piece) => ({ type: 'text_delta', text: piece })),
    last: citations.map((citation) => ({ type: 'citations_delta', citation })),
    hidden: 0,
  };
}

const CITED_CHARACTERS = 20;

function citationOf(documents: SourceDocument[]): JsonObject {
  const at = documents.findIndex(({ cites }) => cites);
  const document = documents[at];
  if (document === undefined) {
    const { title, url } = SOURCE;
    const cited = { cited_text: 'A source says so.', encrypted_index: PLACE_SEAL };
    return { type: 'web_search_result_location', url, title, ...cited };
  }
  const place = { document_index: at, document_title: document.title, file_id: null };
  if (document.text === '') {
    const pages = { start_page_number: 1, end_page_number: 2 };
    return { type: 'page_location', cited_text: 'The first page.', ...place, ...pages };
  }
  const cited_text = document.text.slice(0, CITED_CHARACTERS);
  const span = { start_char_index: 0, end_char_index: cited_text.length };
  return { type: 'char_location', cited_text, ...place, ...span };
}

const STOP_REASONS: Readonly<Record<Answer['finishReason'], string>> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  length: 'max_tokens',
  tool_calls: 'tool_use',
};

function stopOf(answer: Answer): JsonObject {
  const usual = answer.refusal ? 'refusal' : STOP_REASONS[answer.finishReason];
  const stop_reason = answer.finishWord ?? usual;
  const stop_details =
    stop_reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null;
  return { stop_reason, stop_sequence: answer.stopSequence ?? null, stop_details };
}

export function wholeMessage(
  { id, model, tiers }: Heading,
  answer: Answer,
  blocks: Block[],
  ran: Ran,
  usage: BilledUsage | undefined,
): JsonObject {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks.map(({ whole }) => whole),
    ...stopOf(answer),
    container: null,
    diagnostics: null,
    ...(usage === undefined ? {} : { usage: messageUsage(usage, ran, tiers) }),
  };
}

export function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

export const PING = event('ping', {});

/** The events up to the stop of the last block. */
export function* messageFrames(
  { id, model, tiers }: Heading,
  blocks: Block[],
  startUsage: BilledUsage | undefined,
): Generator<Frame> {
  const message = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    ...(startUsage === undefined ? {} : { usage: messageUsage(startUsage, NOTHING_RAN, tiers) }),
  };
  yield { text: event('message_start', { message }), tokens: 0 };
  for (const [index, { hidden, last, pieces, start }] of blocks.entries()) {
    yield { text: event('content_block_start', { index, content_block: start }), tokens: 0 };
    if (index === 0) yield { text: PING, tokens: 0 };
    for (let token = 0; token < hidden; token++) yield { text: '', tokens: 1 };
    for (const delta of pieces) {
      yield { text: event('content_block_delta', { index, delta }), tokens: 1 };
    }
    for (const delta of last) {
      yield { text: event('content_block_delta', { index, delta }), tokens: 0 };
    }
    yield { text: event('content_block_stop', { index }), tokens: 0 };
  }
}

export function messageEnding(answer: Answer, ran: Ran, usage: BilledUsage | undefined): string {
  const reported = usage === undefined ? {} : { usage: deltaUsage(usage, ran) };
  return event('message_delta', { delta: stopOf(answer), ...reported }) + event('message_stop', {});
}
