import type { DemoAnswer } from './demo';
import type { Demo } from './seed';
import type { ServiceName } from './services';

// Output of `npm start` once everything runs; it mentions only running services.

export interface Announced {
  readonly demo: Demo;
  readonly answer: DemoAnswer | undefined;
  readonly without: ReadonlySet<ServiceName>;
  /** Identifiers of the MCP servers that the demo's key may use. */
  readonly mcpServers: readonly string[];
  /** A model that the demo's key may use; undefined without a provider. */
  readonly model: string | undefined;
  readonly opsUrl: string;
}

export function announcement(announced: Announced): string[] {
  const { answer } = announced;
  return [
    ...(answer === undefined ? [] : answerLines(answer)),
    '',
    ...addressLines(announced),
    ...tryLines(announced),
    '',
    'Stop with Ctrl-C.',
  ];
}

function answerLines(answer: DemoAnswer): string[] {
  const { content, inputTokens, outputTokens, costUsd, budgetLeftUsd } = answer;
  return [
    '',
    `A chat through the edge answered: ${JSON.stringify(content)}`,
    `  ${inputTokens} tokens in, ${outputTokens} out · cost $${costUsd} · budget left $${budgetLeftUsd}`,
  ];
}

function addressLines({ demo, without, opsUrl, mcpServers }: Announced): string[] {
  const { edgeUrl, catalogUrl, adminUrl, simulatorUrl, admin } = demo;
  const rows: readonly (readonly [ServiceName, string])[] = [
    ['edge', `  Edge       ${edgeUrl}/v1        (your SDK's base URL)`],
    ...mcpServers.map(
      (identifier) => ['edge', `  MCP        ${edgeUrl}/v1/mcp/${identifier}`] as const,
    ),
    ['edge', `  Operators  ${opsUrl}/healthz · ${opsUrl}/metrics`],
    ['catalog', `  Catalog    ${catalogUrl}/api/docs`],
    ['admin', `  Console    ${adminUrl}   ${admin.email} / ${admin.password}`],
    ['simulator', `  Simulator  ${simulatorUrl}`],
  ];
  return rows.filter(([service]) => !without.has(service)).map(([, line]) => line);
}

function tryLines({ demo, without, model }: Announced): string[] {
  // A request needs edge, policy and a model.
  if (without.has('edge') || without.has('policy') || model === undefined) return [];
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  return [
    '',
    'Try it:',
    '',
    `  curl ${demo.edgeUrl}/v1/chat/completions \\`,
    `    -H 'Authorization: Bearer ${demo.apiKey}' -H 'Content-Type: application/json' \\`,
    `    -d '${body}'`,
  ];
}
