import type {
  PersonalDataType,
  rest,
  ScreeningAction,
  ScreeningKind,
  ScreeningPlace,
  ScreeningScope,
} from '@tollgate/contracts';

import { plural } from '../../format/numbers';

// Words for screening rules.

interface Words {
  readonly label: string;
  readonly note: string;
}

export const KIND_WORDS: Readonly<Record<ScreeningKind, Words>> = {
  PERSONAL_DATA: {
    label: 'Personal data',
    note: 'Numbers are checked by their check digits and issued ranges.',
  },
  SECRETS: { label: 'Secrets', note: 'Keys and tokens with a published form, and private keys.' },
  KEYWORDS: { label: 'Keywords', note: 'Words or phrases.' },
  REGEX: {
    label: 'Patterns',
    note: 'RE2 syntax. In a stream the last 200 characters are withheld.',
  },
  PROMPT_INJECTION: {
    label: 'Prompt injection',
    note: 'Phrases that take a model away from its instructions. Observe first.',
  },
  INVISIBLE_TEXT: {
    label: 'Invisible text',
    note: 'Characters that people do not see and models read. Masking removes them.',
  },
  URLS: { label: 'URLs', note: 'Links to domains.' },
  SIZE: { label: 'Size', note: 'Longer texts than you allow.' },
  MODELS: {
    label: 'Models',
    note: 'Which models requests may reach, also through a routing policy.',
  },
  PARAMETERS: {
    label: 'Parameters',
    note: 'What requests may ask for. A parameter counts under its names in all formats.',
  },
  JSON_SCHEMA: {
    label: 'Form of answers (JSON schema)',
    note: 'Answers must be JSON that matches. Streams wait until their end.',
  },
  EXTERNAL: { label: 'What a service finds', note: 'The service gets the texts only.' },
  PLUGIN: {
    label: 'Plugin',
    note: 'A service of yours that may refuse (403 plugin_blocked), change parameters, choose the model and set tags.',
  },
  CANARY: { label: 'Canary', note: 'A text of the system prompt that no answer may repeat.' },
};

export const ACTION_WORDS: Readonly<Record<ScreeningAction, Words>> = {
  OBSERVE: { label: 'Observe', note: 'Records the hit and changes nothing.' },
  MASK: { label: 'Mask', note: 'Replaces the text by a placeholder.' },
  BLOCK: { label: 'Block', note: 'Refuses the request with 403.' },
};

export const PLACE_WORDS: Readonly<Record<ScreeningPlace, string>> = {
  INPUT: 'Requests',
  TOOL_RESULTS: 'Tool results in requests',
  OUTPUT: 'Answers',
  TOOL_ARGUMENTS: 'Tool arguments in answers',
  MCP_REQUEST: 'Messages to MCP servers',
  MCP_RESULT: 'Messages of MCP servers',
};

export const TYPE_WORDS: Readonly<Record<PersonalDataType, string>> = {
  EMAIL: 'Email addresses',
  PHONE: 'Phone numbers',
  CARD: 'Payment cards',
  IBAN: 'Bank accounts (IBAN)',
  NATIONAL_ID: 'National ids',
  IP_ADDRESS: 'IP addresses',
};

const SCOPE_WORDS: Readonly<Record<ScreeningScope, string>> = {
  ORGANISATION: 'the organisation',
  TEAM: 'team',
  API_KEY: 'key',
  MODEL: 'model',
  MCP_SERVER: 'MCP server',
};

/** "the organisation, 2 models" */
export function attachedWords(attachedTo: readonly rest.ScreeningAttachment[]): string {
  const groups = [...Map.groupBy(attachedTo, ({ scopeType }) => scopeType)];
  if (groups.length === 0) return 'nothing';
  return groups
    .map(([scope, some]) =>
      scope === 'ORGANISATION' ? SCOPE_WORDS[scope] : plural(some.length, SCOPE_WORDS[scope]),
    )
    .join(', ');
}

/** Kinds that judge a request or an answer as a whole, and where they look. */
export const WHOLE_PLACES: Partial<Record<ScreeningKind, ScreeningPlace>> = {
  MODELS: 'INPUT',
  PARAMETERS: 'INPUT',
  JSON_SCHEMA: 'OUTPUT',
};
