// A conversation of many turns as a client of each format sends it, turn by turn: tools with results
// and errors, images, thoughts, instructions among the turns, empty texts, and cache marks that move
// with the newest turn.

import type { FormatName, JsonObject } from '../..';

const PIXEL = 'iVBORw0KGgo=';
const MARK = { cache_control: { type: 'ephemeral' } };
const PLACE = { type: 'object', properties: { city: { type: 'string' }, 2: {}, 1: {} } };
/** The second name is one that vendors refuse, and collides with the third when it is changed. */
const TOOLS = ['weather', 'news/today', 'news_today'];

export interface Turn {
  /** What the model said before it; absent in the first turn. */
  said?: { thought?: string; text?: string; calls?: { id: string; name: string; city: string }[] };
  results?: { id: string; name: string; text: string; isError: boolean; image: boolean }[];
  instruction?: string;
  text?: string;
  image?: boolean;
}

export function turnsOf(count: number): Turn[] {
  return Array.from({ length: count }, (_, at): Turn => {
    if (at === 0) return { text: 'Plan my trip.' };
    const calls = callsBefore(at);
    return {
      said: {
        ...(at % 4 === 1 ? { thought: `Thought ${at}.` } : {}),
        ...(at % 3 === 0 && calls.length > 0 ? {} : { text: `Answer ${at}.` }),
        ...(calls.length > 0 ? { calls } : {}),
      },
      ...(calls.length > 0
        ? {
            results: calls.map(({ id, name }, index) => ({
              id,
              name,
              text: index === 0 ? `{"json": "of turn ${at}", "2": 1, "1": 2}` : `Result ${at}`,
              isError: index === 1 && at % 4 === 0,
              image: index === 0 && at % 6 === 0,
            })),
          }
        : {}),
      ...(at % 7 === 3 ? { instruction: `From now on, rule ${at}.` } : {}),
      // Agents that go on after a result send no text of the user.
      ...(calls.length > 0 && at % 4 !== 2 ? {} : { text: at % 9 === 5 ? '' : textAt(at) }),
      ...(at % 5 === 4 ? { image: true } : {}),
    };
  });
}

function callsBefore(at: number) {
  if (at % 2 === 1) return [];
  const both = at % 4 === 0 ? [0, 1] : [0];
  return both.map((index) => ({
    id: `call.${at}:${index}`,
    name: TOOLS[(at + index) % TOOLS.length] ?? '',
    city: `City ${at}`,
  }));
}

function textAt(at: number): string {
  return at % 11 === 7 ? `Turn ${at}: answer as JSON.` : `Turn ${at}: what is next?`;
}

/** Arguments with keys that objects of JavaScript reorder. */
const argumentsOf = (city: string): string => `{"city":"${city}","2":"b","1":"a"}`;

const chatCalls = (calls: NonNullable<Turn['said']>['calls']) =>
  calls?.map(({ id, name, city }) => ({
    id,
    type: 'function',
    function: { name, arguments: argumentsOf(city) },
  }));
const imageUrl = { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } };

function chat(turns: readonly Turn[], unified: boolean): JsonObject {
  const messages: JsonObject[] = [
    { role: 'system', content: [{ type: 'text', text: 'You help travellers.', ...MARK }] },
  ];
  for (const [at, { image, instruction, results = [], said, text }] of turns.entries()) {
    if (said !== undefined) {
      const calls = chatCalls(said.calls);
      messages.push({
        role: 'assistant',
        content: said.text ?? null,
        ...(said.thought === undefined ? {} : { reasoning_content: said.thought }),
        ...(calls === undefined ? {} : { tool_calls: calls }),
      });
    }
    for (const { id, image: shown, text: result } of results) {
      const content = shown && !unified ? [{ type: 'text', text: result }, imageUrl] : result;
      messages.push({ role: 'tool', tool_call_id: id, content });
    }
    if (instruction !== undefined) messages.push({ role: 'developer', content: instruction });
    if (text === undefined && !image) continue;
    const mark = at === turns.length - 1 ? MARK : {};
    const said_ = { type: 'text', text: text ?? 'See:', ...mark };
    messages.push({ role: 'user', content: image ? [imageUrl, said_] : [said_] });
  }
  return {
    model: 'm',
    messages,
    tools: TOOLS.map((name) => ({ type: 'function', function: { name, parameters: PLACE } })),
    response_format: { type: 'json_object' },
    prompt_cache_key: 'trip',
    max_tokens: 4_096,
  };
}

function responses(turns: readonly Turn[]): JsonObject {
  const input: JsonObject[] = [];
  for (const { image, instruction, results = [], said, text } of turns) {
    if (said?.thought !== undefined) {
      const content = [{ type: 'reasoning_text', text: said.thought }];
      input.push({ type: 'reasoning', id: 'rs_1', summary: [], content });
    }
    if (said?.text !== undefined) input.push({ role: 'assistant', content: said.text });
    for (const { id: call_id, name, city } of said?.calls ?? []) {
      input.push({ type: 'function_call', call_id, name, arguments: argumentsOf(city) });
    }
    for (const { id: call_id, text: output } of results) {
      input.push({ type: 'function_call_output', call_id, output });
    }
    if (instruction !== undefined) input.push({ role: 'developer', content: instruction });
    if (text === undefined && !image) continue;
    const shown = { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` };
    const asked = { type: 'input_text', text: text ?? 'See:' };
    input.push({ role: 'user', content: image ? [shown, asked] : [asked] });
  }
  return {
    model: 'm',
    instructions: 'You help travellers.',
    input,
    tools: TOOLS.map((name) => ({ type: 'function', name, parameters: PLACE, strict: false })),
    text: { format: { type: 'json_object' } },
    prompt_cache_key: 'trip',
    max_output_tokens: 4_096,
  };
}

function messages(turns: readonly Turn[]): JsonObject {
  const said: JsonObject[] = [];
  const shown = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: PIXEL },
  };
  for (const [at, turn] of turns.entries()) {
    const { thought, text, calls = [] } = turn.said ?? {};
    if (turn.said !== undefined) {
      const content: JsonObject[] = [];
      if (thought !== undefined)
        content.push({ type: 'thinking', thinking: thought, signature: 'c2VhbA==' });
      if (text !== undefined) content.push({ type: 'text', text });
      for (const { id, name, city } of calls) {
        const input = JSON.parse(argumentsOf(city)) as JsonObject;
        content.push({ type: 'tool_use', id: id.replace(/\W/g, '_'), name, input });
      }
      said.push({ role: 'assistant', content });
    }
    const content: JsonObject[] = (turn.results ?? []).map((result) => ({
      type: 'tool_result',
      tool_use_id: result.id.replace(/\W/g, '_'),
      content: result.image ? [{ type: 'text', text: result.text }, shown] : result.text,
      ...(result.isError ? { is_error: true } : {}),
    }));
    if (turn.image) content.push(shown);
    const asked = turn.instruction ?? turn.text;
    if (asked) content.push({ type: 'text', text: asked });
    if (content.length === 0) content.push({ type: 'text', text: '(nothing)' });
    if (at === turns.length - 1) Object.assign((content.at(-1) ?? {}) as object, MARK);
    said.push({ role: 'user', content: content.map((block) => ({ ...block })) });
    if (at === turns.length - 1) for (const block of content) delete block['cache_control'];
  }
  return {
    model: 'm',
    // Coding agents begin with a block that names them, and mark the next one.
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.181; cch=00000;' },
      { type: 'text', text: 'You help travellers.', ...MARK },
    ],
    messages: said,
    tools: TOOLS.map((name) => ({ name, input_schema: PLACE })),
    max_tokens: 4_096,
    thinking: { type: 'enabled', budget_tokens: 2_048 },
  };
}

function gemini(turns: readonly Turn[]): JsonObject {
  const contents: JsonObject[] = [];
  const shown = { inlineData: { mimeType: 'image/png', data: PIXEL } };
  for (const { image, instruction, results = [], said, text } of turns) {
    if (said !== undefined) {
      const parts: JsonObject[] = [];
      if (said.thought !== undefined) parts.push({ text: said.thought, thought: true });
      if (said.text !== undefined) parts.push({ text: said.text });
      // Calls without ids, as older models make them.
      for (const { name, city } of said.calls ?? []) {
        parts.push({ functionCall: { name, args: JSON.parse(argumentsOf(city)) as JsonObject } });
      }
      contents.push({ role: 'model', parts });
    }
    const parts: JsonObject[] = results.map(({ name, text: output, isError }) => ({
      functionResponse: { name, response: isError ? { error: output } : { output } },
    }));
    if (instruction !== undefined) parts.push({ text: instruction });
    if (image) parts.push(shown);
    if (text !== undefined) parts.push({ text });
    contents.push({ role: 'user', parts });
  }
  return {
    systemInstruction: { parts: [{ text: 'You help travellers.' }] },
    contents,
    tools: [{ functionDeclarations: TOOLS.map((name) => ({ name, parametersJsonSchema: PLACE })) }],
    generationConfig: { maxOutputTokens: 4_096, responseMimeType: 'application/json' },
  };
}

/** The request of the last of the given turns. */
export const REQUESTS: Readonly<Record<FormatName, (turns: readonly Turn[]) => JsonObject>> = {
  'openai-chat': (turns) => chat(turns, false),
  unified: (turns) => chat(turns, true),
  'openai-responses': responses,
  'anthropic-messages': messages,
  'gemini-generate': gemini,
  'gemini-generate-array': gemini,
};
