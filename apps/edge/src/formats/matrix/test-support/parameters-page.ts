// Generates docs/parameters.md from the tables of parameters.

import { CLIENTS, type Client } from './clients';
import { TARGETS, VERBATIM, type Cell, type Places, type Row, type TargetName } from './matrix';

const COLUMNS: Readonly<Record<TargetName, string>> = {
  chat: 'OpenAI’s chat',
  server: 'vLLM’s chat',
  responses: 'OpenAI’s responses',
  messages: 'Anthropic',
  gemini: 'Gemini',
};
const NAMES = Object.keys(COLUMNS) as TargetName[];

const TITLES: Readonly<Record<string, string>> = {
  'openai-chat': 'OpenAI’s chat completions',
  'openai-responses': 'OpenAI’s responses',
  'anthropic-messages': 'Anthropic’s messages',
  'gemini-generate': 'Gemini’s generateContent',
  unified: '`POST /v1/llm/chat`',
};

export function parametersPage(sdks: readonly string[]): string {
  return `${[head(sdks), ...CLIENTS.map(clientPart)].join('\n\n')}\n`;
}

function head(sdks: readonly string[]): string {
  const models = [...new Set(NAMES.map((name) => `\`${TARGETS[name].context.model}\``))];
  return `<!-- Generated from apps/edge/src/formats/matrix by \`pnpm --filter @tollgate/edge parameters-page\`. -->

# What becomes of each parameter

For each client format: its parameters, and the outcome of each at every provider. The parameters are those of the
vendors' own types, of ${sdks.join(', ')}:
a release that adds one does not compile until a row states its outcome. What a model accepts depends on its
generation; the tables are of ${models.join(', ')}.
Azure behaves like OpenAI, and a provider of type CUSTOM like the format that it is configured with.

- **passed**: sent unchanged, because the provider uses the client's format.
- **mapped**: sent in the provider's own fields, which the cell lists.
- **named**: not sent, and named in \`x-tollgate-dropped\`; with \`x-tollgate-strict: true\` a 400. If only a part
  is not sent, the cell lists that part.
- **refused**: always a 400, because without it the answer would be to a different question.
- **nothing to say**: not sent, because it is the provider's default, does not affect the answer, or concerns only
  the gateway.

Refused on every route and in every format (400 \`unsupported_parameter\`): \`models\`, \`fallbacks\`, \`fallback_model\` and
\`fallback_models\`, by which servers run a model that the key may not use, and \`deferred: true\`, whose answer comes by another route.

Parameters that ask for a processing tier (\`service_tier\`, \`serviceTier\`, \`speed\`, \`inference_geo\`) change the price:
[processing tiers](billed-units.md#processing-tiers).

If a parameter has several outcomes, its value or other fields of the request decide.`;
}

function clientPart(client: Client): string {
  const tables = Object.entries(client.tables).toSorted(([a], [b]) => rankOf(a) - rankOf(b));
  const sections = tables.map(([name, table]) => {
    const rows = Object.entries(table).map(([parameter, given]) => {
      if (typeof given === 'string') return line([code(parameter), WORDS[given], ...BLANKS]);
      const samples: readonly Row[] = 'sample' in given ? [given] : given;
      return line([code(parameter), ...NAMES.map((target) => fates(client, samples, target))]);
    });
    return [`### ${titleOf(name)}`, '', ...HEADER, ...rows].join('\n');
  });
  return [`## ${TITLES[client.format] ?? client.format}`, ...sections].join('\n\n');
}

const WORDS = { CLIENT_ONLY: 'never in the body', OTHER_ROWS: 'in tables of its own' } as const;
const BLANKS = NAMES.slice(1).map(() => '');
const HEADER = [
  line(['Parameter', ...Object.values(COLUMNS)]),
  line(['Parameter', ...NAMES].map(() => '---')),
];

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function code(text: string): string {
  return `\`${text.replaceAll('|', String.raw`\|`)}\``;
}

/** Fields of the body come first, fields that no vendor type has come last. */
function rankOf(name: string): number {
  if (/_(PARAMETERS|REQUEST)$/.test(name)) return 0;
  return name.endsWith('BEYOND') ? 2 : 1;
}

/** `CHAT_STREAM_OPTIONS` becomes "Stream options". */
function titleOf(name: string): string {
  const words = name.split('_').slice(1).join(' ').toLowerCase();
  const title = words.replace(/ ?beyond$/, ' beyond the vendor’s types').trimStart();
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** Equal outcomes of several samples are listed once. */
function fates({ own }: Client, samples: readonly Row[], target: TargetName): string {
  const said = samples.map(({ cells }) => {
    const cell = cells[target] ?? (target === 'server' ? cells.chat : undefined);
    return fateOf((own.includes(target) ? cells[target] : cell) ?? VERBATIM);
  });
  return [...new Set(said)].join('; or ');
}

function fateOf(cell: Cell): string {
  switch (cell.fate) {
    case 'verbatim':
      return 'passed';
    case 'anyway':
      return 'nothing to say';
    case 'refused':
      return 'refused';
    case 'declared':
      return 'named';
    case 'honoured': {
      const mapped = `mapped: ${placesIn(cell.at).map(code).join(', ')}`;
      return cell.dropped.length === 0
        ? mapped
        : `${mapped}; named ${cell.dropped.map(code).join(', ')}`;
    }
  }
}

/** The fields of `/generationConfig` are listed one by one; an index in a list becomes `[]`. */
function placesIn(at: Places): string[] {
  const places = Object.entries(at).flatMap(([pointer, value]) =>
    pointer === '/generationConfig' && typeof value === 'object' && value !== null
      ? Object.keys(value).map((name) => `${pointer}/${name}`)
      : [pointer],
  );
  return [...new Set(places.map(placeOf))];
}

function placeOf(pointer: string): string {
  return pointer.slice(1).replaceAll(/\/\d+/g, '[]').replaceAll('/', '.');
}
