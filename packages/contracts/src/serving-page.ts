// docs/routes.md, written from the tables.
import { MODEL_TYPES } from './enums';
import { OPERATIONS, operationServes, type Operation } from './operations';
import { UPSTREAM_FORMATS } from './provider-types';
import { FAMILY_OPERATIONS, mayDeclareResponses, providerServes } from './serving';
import { isFixedFamily, ROUTE_FAMILIES, VENDORS, type RouteFamily } from './vendors';

export function servingPage(): string {
  return `<!-- Generated from packages/contracts/src/serving.ts by \`pnpm --filter @tollgate/contracts routes-page\`. -->

# Which route serves which model

A request is served where its route has the operation, the model's type can do it, and the model's provider
has it. The OpenAI routes are fixed to OpenAI and Azure, those below \`/v1/vllm\` to vLLM, unless the
organisation switches on \`openCompatRoutes\` (Settings, "Any model on every vendor’s routes", or
\`PATCH /api/organisations/:organisationId/settings\`): then they serve every provider that has the operation.
Without it, a model of another provider is 400 \`provider_mismatch\` there. Where the provider lacks the
operation, with or without the setting, it is 400 \`unsupported_model\`.

A model that no route could use is 422 where it is registered, and stands in no list of models. The lists
(\`GET /v1/models\`, \`GET /v1beta/models\`, \`GET /v1/vllm/models\`) hold what the routes of their family can use;
OpenAI's holds what any route can use.

Chat, responses, token counts and embeddings are translated between formats; everything else passes between
sides that speak the same one. Embeddings of another format are of text, at most 100 at once for Gemini's, and
\`taskType\`, \`title\` or \`user\` are named in \`x-tollgate-dropped\`. \`POST /v1/moderations\` without \`model\`
takes the organisation's model named \`omni-moderation-latest\`.

${table()}

† Fixed to their own providers unless \`openCompatRoutes\` is on.

‡ Where the provider declares that it has the Responses API (\`nativeResponses\`). It is then asked for
\`responses\` in that format too, which are translated to chat otherwise.

Conversations are made at the provider of the model that the header \`x-tollgate-model\` names. Without it,
the key's models must lead to a single provider that keeps conversations.
`;
}

const HEADINGS = ['Operation', 'Models of type', 'Routes of', 'Providers', 'CUSTOM in the format'];

const FAMILY_TITLES: Readonly<Record<RouteFamily, string>> = {
  unified: 'Tollgate',
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
  vllm: 'vLLM',
};

function table(): string {
  return [HEADINGS, HEADINGS.map(() => '---'), ...OPERATIONS.map(cells)]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

function cells(operation: Operation): string[] {
  const families = (Object.keys(ROUTE_FAMILIES) as RouteFamily[])
    .filter((family) => FAMILY_OPERATIONS[family].includes(operation))
    .map((family) => FAMILY_TITLES[family] + (isFixedFamily(family) ? '†' : ''));
  const vendors = VENDORS.filter(
    ({ type, upstreamFormat }) =>
      upstreamFormat !== null && providerServes(type, upstreamFormat, operation),
  );
  const formats = UPSTREAM_FORMATS.flatMap((format) => {
    if (providerServes('CUSTOM', format, operation)) return `\`${format}\``;
    const declared = mayDeclareResponses('CUSTOM', format);
    return providerServes('CUSTOM', format, operation, declared) ? `\`${format}\`‡` : [];
  });
  return [
    `\`${operation}\``,
    MODEL_TYPES.filter((type) => operationServes(operation, type)).join(', '),
    families.join(', '),
    vendors.map(({ title }) => title).join(', '),
    formats.join(', '),
  ];
}
