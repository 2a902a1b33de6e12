// docs/routes.md, written from the tables.
import { MODEL_TYPES } from './enums';
import { OPERATIONS, operationServes, type Operation } from './operations';
import { FAMILY_OPERATIONS, mayDeclareResponses, providerServes } from './serving';
import { UPSTREAM_FORMATS } from './upstream-apis';
import { isFixedFamily, ROUTE_FAMILIES, VENDORS, type RouteFamily } from './vendors';

export function servingPage(): string {
  return `<!-- Generated from packages/contracts/src/serving.ts by \`pnpm --filter @tollgate/contracts routes-page\`. -->

# Which route serves which model

A request is served if its route has the operation, the model's type can do it, and the model's provider has it.
The OpenAI routes serve OpenAI and Azure only, those below \`/v1/vllm\` (also \`/v1/provider_d\`) vLLM only. If the
organisation switches on \`openCompatRoutes\` (Settings, "Any model on every vendor’s routes", or
\`PATCH /api/organisations/:organisationId/settings\`), both serve every provider that has the operation.
Without it, a model of another provider is 400 \`provider_mismatch\` there. If the provider lacks the
operation, the answer is 400 \`unsupported_model\`, with or without the setting.

A model that no route could use is 422 when it is registered, and is in no list of models. The lists
(\`GET /v1/models\`, \`GET /v1beta/models\`, \`GET /v1/vllm/models\`) have the models that the routes of their family
can use; OpenAI's has the models that any route can use.

Chat, responses, token counts and embeddings are translated between formats. Every other operation needs a client
and an upstream of the same format. Translated embeddings are of text, at most 100 at once for Gemini;
\`taskType\`, \`title\` and \`user\` are then named in \`x-tollgate-dropped\`. \`POST /v1/moderations\` without \`model\`
uses the organisation's model named \`omni-moderation-latest\`.

Endpoints of a provider beside these are called at \`/v1/passthrough/:provider/…\` ([passthrough](passthrough.md)).

${table()}

† Only for models of the route's own providers (OpenAI and Azure, or vLLM), unless \`openCompatRoutes\` is on.

‡ If the provider declares that it has the Responses API (\`nativeResponses\`). Then \`responses\` are sent to it in
that format too; otherwise they are translated to chat.

A provider of Google Vertex AI or Amazon Bedrock has the format that it was created with ([clouds](clouds.md)). On routes
with † its models need \`openCompatRoutes\`.

Conversations are made at the provider of the model that the header \`x-tollgate-model\` names. Without the header,
the key's models must lead to a single provider that keeps conversations ([stored objects](stored-objects.md)).
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
    ({ type, upstreamFormat, formats }) =>
      type !== 'CUSTOM' &&
      (upstreamFormat === null ? formats : [upstreamFormat]).every((format) =>
        providerServes(type, format, operation),
      ),
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
