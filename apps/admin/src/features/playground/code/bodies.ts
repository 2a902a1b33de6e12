import type { ChatRequest, Message } from '../chat';
import { partsOf } from '../images';
import type { Tool } from '../tools';
import { Expression, type Value } from './literal';

// One request in each vendor's format.

export type Body = Readonly<Record<string, Value | undefined>>;

/** The file name of a picture in generated programs. */
export interface Picture {
  readonly file: string;
  readonly type: string;
}

export function picturesOf(request: ChatRequest): readonly Picture[] {
  return urlsIn(request.messages).map((url, index) => {
    const { type } = partsOf({ name: '', url });
    return { file: `image-${index + 1}.${type.split('/')[1] ?? 'png'}`, type };
  });
}

type Said = Omit<Message, 'content_blocks'> & { readonly pictures: readonly Picture[] };

/** The conversation, with pictures as file names. */
function saidIn(request: ChatRequest): readonly Said[] {
  const pictures = [...picturesOf(request)];
  return request.messages.map(({ role, content, content_blocks: blocks = [] }) => ({
    role,
    content,
    pictures: pictures.splice(0, blocks.length),
  }));
}

function urlsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ content_blocks: blocks = [] }) =>
    blocks.map(({ image_url: { url } }) => url),
  );
}

const base64Of = ({ file }: Picture): Expression =>
  new Expression(
    `readFileSync("${file}", "base64")`,
    `base64.b64encode(Path("${file}").read_bytes()).decode()`,
    `"$(base64 < ${file} | tr -d '\\n')"`,
  );

const dataUrlOf = ({ file, type }: Picture): Expression =>
  new Expression(
    `\`data:${type};base64,\${readFileSync("${file}", "base64")}\``,
    `"data:${type};base64," + base64.b64encode(Path("${file}").read_bytes()).decode()`,
    `"data:${type};base64,$(base64 < ${file} | tr -d '\\n')"`,
  );

export function openAiBody(request: ChatRequest): Body {
  const { model, temperature, top_p, max_tokens, tools } = request;
  const messages = saidIn(request).map(({ role, content, pictures }) => ({
    role,
    content:
      pictures.length === 0
        ? content
        : [
            ...pictures.map((picture) => ({
              type: 'image_url',
              image_url: { url: dataUrlOf(picture) },
            })),
            ...(content === '' ? [] : [{ type: 'text', text: content }]),
          ],
  }));
  return { model, messages, temperature, top_p, max_tokens, tools: tools && tools.map(valueOf) };
}

/** Anthropic's format requires an output bound. */
const ANTHROPIC_MAX_TOKENS = 1024;

export function anthropicBody(request: ChatRequest): Body {
  const { model, temperature, top_p, max_tokens = ANTHROPIC_MAX_TOKENS, tools } = request;
  const messages = saidIn(request)
    .filter(({ role }) => role !== 'system')
    .map(({ role, content, pictures }) => ({
      role,
      content:
        pictures.length === 0
          ? content
          : [
              ...pictures.map((picture) => ({
                type: 'image',
                source: { type: 'base64', media_type: picture.type, data: base64Of(picture) },
              })),
              ...(content === '' ? [] : [{ type: 'text', text: content }]),
            ],
    }));
  return {
    model,
    max_tokens,
    system: systemOf(request),
    messages,
    temperature,
    top_p,
    tools: tools?.map(({ function: { name, description, parameters } }) => ({
      name,
      description,
      input_schema: valueOf(parameters ?? { type: 'object' }),
    })),
  };
}

/** Google's SDKs name fields differently in each language. */
export function googleBody(request: ChatRequest, python: boolean): Body {
  const { model, temperature, top_p: topP, max_tokens: maxTokens, tools } = request;
  const inNames = (named: Body): Body =>
    python ? Object.fromEntries(Object.entries(named).map(([k, v]) => [snake(k), v])) : named;
  const contents = saidIn(request)
    .filter(({ role }) => role !== 'system')
    .map(({ role, content, pictures }) => ({
      role: role === 'assistant' ? 'model' : 'user',
      parts: [
        ...pictures.map((picture) =>
          inNames({ inlineData: inNames({ mimeType: picture.type, data: dataOf(picture) }) }),
        ),
        ...(content === '' ? [] : [{ text: content }]),
      ],
    }));
  const functionDeclarations = tools?.map(({ function: { name, description, parameters } }) =>
    inNames({ name, description, parametersJsonSchema: parameters && valueOf(parameters) }),
  );
  const config = inNames({
    systemInstruction: systemOf(request),
    temperature,
    topP,
    maxOutputTokens: maxTokens,
    tools: functionDeclarations && [inNames({ functionDeclarations })],
  });
  const said = Object.values(config).some((value) => value !== undefined);
  return { model, contents, config: said ? config : undefined };
}

const dataOf = (picture: Picture): Expression => {
  const { js, shell } = base64Of(picture);
  return new Expression(js, `Path("${picture.file}").read_bytes()`, shell);
};

function systemOf({ messages }: ChatRequest): string | undefined {
  return messages.find(({ role }) => role === 'system')?.content;
}

const snake = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A schema is copied into the program as JSON. */
function valueOf(schema: Tool | NonNullable<Tool['function']['parameters']>): Value {
  return JSON.parse(JSON.stringify(schema)) as Value;
}
