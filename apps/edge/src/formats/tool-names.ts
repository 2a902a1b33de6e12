// Renames tools whose names a target refuses, so that the answer can restore the client's names.

import { createHash } from 'node:crypto';

import type {
  ContentBlock,
  NormalisedMessage,
  NormalisedRequest,
  ToolChoice,
  ToolDefinition,
} from './normalised';

export interface NameRule {
  /** Characters that are not allowed in a name. */
  forbidden: RegExp;
  /** The allowed first characters of a name. */
  start: RegExp;
  characters: number;
}

const WORD: NameRule = { forbidden: /[^a-zA-Z0-9_-]/g, start: /^/, characters: 64 };

/** The vendors' rules for function names. */
export const NAME_RULES = {
  openai: WORD,
  anthropic: { ...WORD, characters: 128 },
  gemini: { forbidden: /[^a-zA-Z0-9_.:-]/g, start: /^[a-zA-Z_]/, characters: 128 },
} as const satisfies Readonly<Record<string, NameRule>>;

/** The client's names, keyed by the names that were sent. */
export type SentNames = ReadonlyMap<string, string>;

export interface NamedRequest {
  request: NormalisedRequest;
  /** Empty if no name changed. */
  sentNames: SentNames;
}

/** The request with valid names: the same object if all are valid already. */
export function withValidNames(request: NormalisedRequest, rule: NameRule): NamedRequest {
  const names = [...namesIn(request)];
  const renamed = validNames(names, rule);
  if (renamed.size === 0) return { request, sentNames: renamed };
  const rename = (name: string): string => renamed.get(name) ?? name;
  return {
    request: {
      ...request,
      tools: request.tools.map((tool): ToolDefinition => ({ ...tool, name: rename(tool.name) })),
      ...(request.toolChoice ? { toolChoice: renameChoice(request.toolChoice, rename) } : {}),
      messages: request.messages.map((message) => renameCalls(message, rename)),
    },
    sentNames: new Map([...renamed].map(([own, valid]) => [valid, own])),
  };
}

/** All tools of a request: declared, chosen and called earlier. */
function namesIn({ tools, toolChoice, messages }: NormalisedRequest): Set<string> {
  const names = new Set(tools.map(({ name }) => name));
  if (toolChoice?.mode === 'tool') names.add(toolChoice.tool.name);
  if (toolChoice?.mode === 'allowed') for (const { name } of toolChoice.tools) names.add(name);
  for (const { content } of messages) {
    for (const block of content) if (block.type === 'tool_call') names.add(block.name);
  }
  return names;
}

/** A valid name for each invalid one, independent of their order. */
function validNames(names: readonly string[], rule: NameRule): Map<string, string> {
  const invalid = names.filter((name) => validName(name, rule) !== name);
  const taken = new Map<string, number>();
  if (invalid.length > 0) {
    for (const name of names) {
      const valid = validName(name, rule);
      taken.set(valid, (taken.get(valid) ?? 0) + 1);
    }
  }
  return new Map(
    invalid.map((name) => {
      const valid = validName(name, rule);
      const isAlone = taken.get(valid) === 1 && name.length <= rule.characters;
      return [name, isAlone ? valid : distinctName(name, rule)];
    }),
  );
}

/** The nearest valid name; the same name if it is valid. */
export function validName(name: string, { forbidden, start, characters }: NameRule): string {
  const word = name.replace(forbidden, '_') || '_';
  return (start.test(word) ? word : `_${word}`).slice(0, characters);
}

const HASH_CHARACTERS = 8;

/** A valid name that no other name maps to. */
function distinctName(name: string, rule: NameRule): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARACTERS);
  const room = rule.characters - HASH_CHARACTERS - 1;
  return `${validName(name, rule).slice(0, room)}_${hash}`;
}

type Rename = (name: string) => string;

function renameChoice(choice: ToolChoice, rename: Rename): ToolChoice {
  if (choice.mode === 'tool') {
    return { ...choice, tool: { ...choice.tool, name: rename(choice.tool.name) } };
  }
  if (choice.mode !== 'allowed') return choice;
  const tools = choice.tools.map((tool) => ({ ...tool, name: rename(tool.name) }));
  return { ...choice, tools };
}

function renameCalls(message: NormalisedMessage, rename: Rename): NormalisedMessage {
  const { content } = message;
  if (!content.some(({ type }) => type === 'tool_call')) return message;
  const renamed = content.map((block): ContentBlock =>
    block.type === 'tool_call' ? { ...block, name: rename(block.name) } : block,
  );
  return { ...message, content: renamed };
}
