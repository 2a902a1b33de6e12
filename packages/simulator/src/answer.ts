// The simulator's answers, all of them predictable from the request:
//
// - Default: `You said: ` and the text of the last message (`The tool said: ` for a tool result).
//   `tokens-N` makes the answer N tokens long, by repeating or cutting it.
// - Tools are called if the request demands it, or if the last message is the user's and names
//   them: every named tool is called, in parallel, with arguments made up from its schema.
// - With a requested JSON schema, the answer is a value made up from it (made-up.ts).
// - Requested thinking takes three tokens, or the number in `reasoning-N`.
// - Stop sequences and the output bound cut the answer as vendors do.

import type { Ask, Tool } from './ask';
import type { Directives } from './directives';
import { madeUp } from './made-up';
import { piecesOf } from './tokens';

export interface ToolCall {
  /** Unique; formats add their own prefix. */
  key: string;
  name: string;
  kind: 'function' | 'custom';
  /** The arguments or the input, one token each. */
  pieces: string[];
}

export interface Answer {
  /** One token each. */
  pieces: string[];
  refusal: boolean;
  reasoningTokens: number;
  calls: ToolCall[];
  finishReason: 'stop' | 'stop_sequence' | 'length' | 'tool_calls';
  /** The stop sequence that ended the answer. */
  stopSequence?: string;
  /** Replaces the finish reason, in the format's own words. */
  finishWord?: string;
  cites: boolean;
  /** Tokens of one choice. */
  outputTokens: number;
}

/** A thought is one token long. */
export const THOUGHT = 'hmm ';
const THOUGHTS = 3;

/** The source of a citation if the request has no document. */
export const SOURCE = { url: 'https://example.com/source', title: 'A source' };

export function answerTo(ask: Ask, directives: Directives, id: string): Answer {
  const bound = (directives.overlong ? undefined : ask.bound) ?? Number.MAX_SAFE_INTEGER;
  const wanted = directives.reasoning ?? (ask.thinks ? THOUGHTS : 0);
  const reasoningTokens = Math.min(wanted, bound);
  const left = bound - reasoningTokens;
  const refusal = directives.refuse === true;
  const common = {
    refusal,
    reasoningTokens,
    cites: ask.cites || directives.cite === true,
    ...(directives.finish === undefined ? {} : { finishWord: directives.finish }),
  };
  const calls = refusal || directives.params ? [] : callsFor(ask, id);
  if (calls.length > 0) {
    const cut = cutCalls(calls, left);
    const finishReason = cut.whole ? 'tool_calls' : 'length';
    const outputTokens = reasoningTokens + cut.tokens;
    return { ...common, pieces: [], calls: cut.calls, finishReason, outputTokens };
  }
  const { text, stopSequence } = stopAt(textFor(ask, directives), ask.stops);
  const whole = piecesOf(text);
  const pieces = whole.length > left ? whole.slice(0, left) : whole;
  const outputTokens = reasoningTokens + pieces.length;
  if (pieces.length < whole.length) {
    return { ...common, pieces, calls: [], finishReason: 'length', outputTokens };
  }
  return stopSequence === undefined
    ? { ...common, pieces, calls: [], finishReason: 'stop', outputTokens }
    : {
        ...common,
        pieces,
        calls: [],
        finishReason: 'stop_sequence',
        stopSequence,
        outputTokens,
      };
}

/** Calls beyond the bound are cut inside their arguments, as models do. */
function cutCalls(calls: ToolCall[], left: number) {
  let tokens = 0;
  const kept: ToolCall[] = [];
  for (const call of calls) {
    const pieces = call.pieces.slice(0, left - tokens);
    kept.push({ ...call, pieces });
    tokens += pieces.length;
    if (pieces.length < call.pieces.length) return { calls: kept, tokens, whole: false };
  }
  return { calls: kept, tokens, whole: true };
}

function textFor(ask: Ask, directives: Directives): string {
  if (directives.refuse) return 'I cannot help with that.';
  if (directives.params) return JSON.stringify(ask.params);
  const { by, text } = ask.said;
  if (ask.json?.schema !== undefined) {
    const value = madeUp(ask.json.schema, text);
    return JSON.stringify(value);
  }
  const usual = `${by === 'tool' ? 'The tool said: ' : 'You said: '}${text}`;
  const whole = ask.json === undefined ? usual : JSON.stringify({ answer: text });
  return directives.tokens === undefined ? whole : lengthen(whole, directives.tokens);
}

/** Repeats text, separated by spaces, to exactly this number of tokens. */
export function lengthen(text: string, tokens: number): string {
  const points = Array.from(`${text} `);
  const wanted = tokens * 4;
  const all: string[] = [];
  for (let at = 0; at < wanted; at++) all.push(points[at % points.length] ?? '');
  return all.join('');
}

/** Cuts text before the first of the sequences. */
export function stopAt(
  text: string,
  sequences: string[],
): { text: string; stopSequence: string | undefined } {
  let end = text.length;
  let stopSequence: string | undefined;
  for (const sequence of sequences) {
    const at = sequence === '' ? -1 : text.indexOf(sequence);
    if (at === -1 || at >= end) continue;
    end = at;
    stopSequence = sequence;
  }
  return { text: text.slice(0, end), stopSequence };
}

function callsFor({ choice, said, tools }: Ask, id: string): ToolCall[] {
  const chosen = chooseTools(tools, choice, said);
  const made = choice.parallel ? chosen : chosen.slice(0, 1);
  return made.map(({ name, kind, parameters }, index) => ({
    key: `${id}_${index}`,
    name,
    kind,
    pieces: piecesOf(kind === 'custom' ? said.text : JSON.stringify(madeUp(parameters, said.text))),
  }));
}

function chooseTools(tools: Tool[], choice: Ask['choice'], said: Ask['said']): Tool[] {
  if (choice.mode === 'none') return [];
  const { only } = choice;
  const open = only === undefined ? tools : tools.filter((tool) => only.includes(tool.name));
  const named = said.by === 'user' ? open.filter((tool) => said.text.includes(tool.name)) : [];
  return named.length === 0 && choice.mode === 'required' ? open.slice(0, 1) : named;
}
