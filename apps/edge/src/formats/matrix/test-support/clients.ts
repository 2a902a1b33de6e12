// Each client format with its smallest request and its tables of parameters.

import type { FormatName } from '../..';
import type { JsonObject } from '../../normalised';
import * as chat from './chat';
import * as chatAssistant from './chat-assistant';
import * as chatMessages from './chat-messages';
import * as chatTools from './chat-tools';
import * as gemini from './gemini';
import * as geminiContents from './gemini-contents';
import * as geminiTools from './gemini-tools';
import type { Table, TargetName } from './matrix';
import * as messagesParameters from './messages';
import * as messagesBeta from './messages-beta';
import * as messagesCalls from './messages-calls';
import * as messagesContent from './messages-content';
import * as responses from './responses';
import * as responsesInput from './responses-input';
import * as responsesTools from './responses-tools';
import * as unified from './unified';
import * as unifiedMessages from './unified-messages';

export interface Client {
  format: FormatName;
  /** Upstreams that speak the client's format. */
  own: readonly TargetName[];
  plain: JsonObject;
  /** The path names the model. */
  model?: string;
  tables: Readonly<Record<string, Table>>;
}

const messages = [{ role: 'user', content: 'Hi' }];

export const CLIENTS: readonly Client[] = [
  {
    format: 'openai-chat',
    own: ['chat', 'server'],
    plain: { model: 'm', messages },
    tables: tablesIn(chat, chatMessages, chatAssistant, chatTools),
  },
  {
    format: 'openai-responses',
    own: ['responses'],
    plain: { model: 'm', input: 'Hi' },
    tables: tablesIn(responses, responsesInput, responsesTools),
  },
  {
    format: 'anthropic-messages',
    own: ['messages'],
    plain: { model: 'm', max_tokens: 4_096, messages },
    tables: tablesIn(messagesParameters, messagesBeta, messagesContent, messagesCalls),
  },
  {
    format: 'gemini-generate',
    own: ['gemini'],
    plain: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    model: 'm',
    tables: tablesIn(gemini, geminiContents, geminiTools),
  },
  {
    format: 'unified',
    own: [],
    plain: { model: 'm', messages },
    tables: tablesIn(unified, unifiedMessages),
  },
];

/** Every table that the modules export, without their helper functions. */
function tablesIn(...modules: readonly object[]): Record<string, Table> {
  const all = modules.flatMap((module) => Object.entries(module) as [string, unknown][]);
  return Object.fromEntries(
    all.filter((entry): entry is [string, Table] => /^[A-Z_]+$/.test(entry[0])),
  );
}
