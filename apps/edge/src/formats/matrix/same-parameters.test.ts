// Rules of screening know which parameters of the formats are one and the same. What the codecs send in one field
// for another must be among them.

import { samePaths, snakeName } from '@tollgate/screening';

import { CLIENTS } from './test-support/clients';
import type { Places, Row, Rows } from './test-support/matrix';

/** Fields that are sent for a parameter, and are another one. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'an instruction is one of the messages': [
    'instructions messages',
    'system input',
    'system messages',
    'systemInstruction messages',
  ],
  'an instruction asks for JSON where there is no mode for it': [
    'generationConfig.responseMimeType instructions',
    'generationConfig.responseMimeType messages',
    'generationConfig.responseMimeType system',
    'response_format instructions',
    'response_format messages',
    'response_format system',
  ],
  'a schema goes with the type that is the same parameter': [
    'generationConfig.responseJsonSchema output_config.format',
    'generationConfig.responseJsonSchema response_format',
    'generationConfig.responseJsonSchema text.format',
    'generationConfig.responseSchema output_config.format',
    'generationConfig.responseSchema response_format',
    'generationConfig.responseSchema text.format',
  ],
  'what the answer shows beside': [
    'generationConfig.responseLogprobs include',
    'logprobs include',
    'generationConfig.logprobs include',
    'generationConfig.logprobs logprobs',
    'reasoning_effort include',
    'stream stream_options.include_usage',
    'top_logprobs include',
    'top_logprobs logprobs',
  ],
  'how much is thought is also said by whether': [
    'reasoning_effort generationConfig.thinkingConfig',
    'reasoning_effort thinking.type',
    'thinking reasoning_effort',
  ],
  'several fields at once': ['response_format generationConfig', 'top_logprobs generationConfig'],
  'parts of one that have a name of their own elsewhere': [
    'metadata user',
    'parallel_tool_calls tool_choice',
    'web_search_options tools',
  ],
};

test('each field that is sent for a parameter is the same parameter, or is listed', () => {
  const pairs = new Set<string>();
  for (const { tables } of CLIENTS) {
    for (const [section, table] of Object.entries(tables)) {
      if (!/_(PARAMETERS|REQUEST|CONFIG)$/.test(section)) continue;
      for (const [name, rows] of Object.entries(table)) {
        const own = section === 'GEMINI_CONFIG' ? `generationConfig.${name}` : name;
        for (const path of rowsIn(rows).flatMap(pathsIn)) pairs.add(`${own} ${path}`);
      }
    }
  }
  const different = [...pairs].filter((pair) => !isSame(pair));
  expect(different.toSorted()).toEqual(Object.values(OTHERS).flat().toSorted());
});

function rowsIn(rows: Rows): readonly Row[] {
  if (typeof rows === 'string') return [];
  return 'sample' in rows ? [rows] : rows;
}

function pathsIn({ cells }: Row): string[] {
  return Object.values(cells).flatMap((cell) =>
    cell.fate === 'honoured' ? leavesOf(cell.at) : [],
  );
}

function leavesOf(at: Places): string[] {
  return Object.entries(at).flatMap(([pointer, value]) => {
    const path = pointer.slice(1).replaceAll('/', '.');
    const fields = typeof value === 'object' && value !== null && !Array.isArray(value);
    const inner = fields && pointer !== '' ? Object.keys(value) : [];
    return inner.length === 1 ? [`${path}.${inner[0]}`] : [path];
  });
}

function isSame(pair: string): boolean {
  const [one = '', other = ''] = pair.split(' ');
  const sent = snakeName(other);
  return samePaths(one).some((path) => sent === path || sent.startsWith(`${path}.`));
}
