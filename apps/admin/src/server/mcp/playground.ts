import { mcpQuestion, type McpAnswer } from '../../api/mcp-playground';
import { createPlaygroundRoute, type PlaygroundDeps } from '../playground-route';
import { exchangeMcp } from './exchange';

// The tools of an MCP server in the playground: listed and called through the gateway.

/** Room for the arguments of a call. */
const BODY_LIMIT_BYTES = 1024 * 1024;

interface Answered {
  readonly status: number;
  readonly answer: McpAnswer;
}

export function createMcpPlayground(deps: PlaygroundDeps) {
  const { edgeUrl, fetch, log, clock } = deps;
  const exchange = { edgeUrl, fetch, log, now: () => clock.now() };
  return createPlaygroundRoute(deps, {
    bodyLimitBytes: BODY_LIMIT_BYTES,
    schema: mcpQuestion,
    ask: async (question, key, request): Promise<Answered> => {
      const answer = await exchangeMcp(exchange, question, key, request.signal);
      return { status: answer.kind === 'failure' ? (answer.status ?? 200) : 200, answer };
    },
    discard: () => Promise.resolve(),
    // The status of the gateway is within the answer: a refusal is a result of this path.
    respond: ({ answer }, headers) => Response.json(answer, { headers }),
  });
}
