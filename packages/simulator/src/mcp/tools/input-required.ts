// Tools whose names and keys the conformance suite demands for results of `input_required`. What a client
// carries between the rounds is signed (state.ts).

import { randomUUID } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequest,
  type InputRequests,
  type ServerContext,
} from '@modelcontextprotocol/server';

import { countOf, objectOf, textOf, type JsonObject } from '../../json';
import { requestState } from './state';
import { text, type Tool, type ToolResult } from './tool';

const NAMES = 'test_input_required_result';

export const INPUT_REQUIRED_TOOLS: readonly Tool[] = [
  {
    name: `${NAMES}_elicitation`,
    description: 'Asks for a name.',
    run(_args, context) {
      const name = accepted(context, 'user_name')?.['name'];
      if (typeof name === 'string') return text(`Hello, ${name}!`);
      return inputRequired({ inputRequests: { user_name: form('What is your name?', 'name') } });
    },
  },
  {
    name: `${NAMES}_sampling`,
    description: 'Asks for a completion.',
    run(_args, context) {
      const answer = inputResponse(context.mcpReq.inputResponses, 'capital_question');
      if (answer.kind === 'sampling') return text(JSON.stringify(answer.result.content));
      const request = sample('What is the capital of France?');
      return inputRequired({ inputRequests: { capital_question: request } });
    },
  },
  {
    name: `${NAMES}_list_roots`,
    description: "Asks for the client's roots.",
    run(_args, context) {
      const answer = inputResponse(context.mcpReq.inputResponses, 'client_roots');
      if (answer.kind === 'roots') return text(answer.roots.map(({ uri }) => uri).join(', '));
      return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
    },
  },
  {
    name: `${NAMES}_request_state`,
    description: 'Asks for a confirmation, with a state to carry.',
    run: (_args, context) => confirm(context, 'request_state', 'state-ok'),
  },
  {
    name: `${NAMES}_tampered_state`,
    description: 'Asks for a confirmation, and refuses a state that was altered.',
    run: (_args, context) => confirm(context, 'tampered_state', 'integrity-ok'),
  },
  {
    name: `${NAMES}_multiple_inputs`,
    description: 'Asks for a name, a completion and the roots at once.',
    async run(_args, context) {
      const { inputResponses } = context.mcpReq;
      const name = accepted(context, 'user_name')?.['name'];
      const greeting = inputResponse(inputResponses, 'greeting');
      const roots = inputResponse(inputResponses, 'client_roots');
      if (typeof name === 'string' && greeting.kind === 'sampling' && roots.kind === 'roots') {
        return text(`Hello, ${name}, with ${String(roots.roots.length)} roots.`);
      }
      const state = { tool: 'multiple_inputs', nonce: randomUUID() };
      return inputRequired({ inputRequests: ALL, requestState: await requestState.mint(state) });
    },
  },
  {
    name: `${NAMES}_multi_round`,
    description: 'Asks twice, with a state that says which round it is.',
    run: (_args, context) => rounds(context),
  },
  {
    name: `${NAMES}_capabilities`,
    description: 'Asks only for what the client declared.',
    run: (_args, context) => askDeclared(context),
  },
];

const ALL = {
  user_name: form('What is your name?', 'name'),
  greeting: sample('Write a greeting.'),
  client_roots: inputRequired.listRoots(),
};

/** Which capability of the client each of ALL needs. */
const NEEDS = [
  ['user_name', 'elicitation'],
  ['greeting', 'sampling'],
  ['client_roots', 'roots'],
] as const;

function form(message: string, field: string): InputRequest {
  const properties = { [field]: { type: 'string' as const } };
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties, required: [field] },
  });
}

function sample(prompt: string): InputRequest {
  const content = { type: 'text' as const, text: prompt };
  return inputRequired.createMessage({ messages: [{ role: 'user', content }], maxTokens: 100 });
}

function accepted(context: ServerContext, key: string): Record<string, unknown> | undefined {
  return acceptedContent(context.mcpReq.inputResponses, key);
}

async function confirm(context: ServerContext, tool: string, done: string): Promise<ToolResult> {
  if (accepted(context, 'confirm') === undefined) {
    const state = await requestState.mint({ tool, nonce: randomUUID() });
    const request = inputRequired.elicit({
      message: 'Please confirm.',
      requestedSchema: {
        type: 'object',
        properties: { ok: { type: 'boolean' } },
        required: ['ok'],
      },
    });
    return inputRequired({ inputRequests: { confirm: request }, requestState: state });
  }
  // The SDK has verified a state that is there; one that is missing it lets pass.
  const state = context.mcpReq.requestState<Record<string, unknown>>();
  if (state?.['tool'] !== tool)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The request state is missing.');
  return text(`${done}: the state came back unaltered.`);
}

async function rounds(context: ServerContext): Promise<ToolResult> {
  const state = context.mcpReq.requestState<Record<string, unknown>>();
  const round = state?.['tool'] === 'multi_round' ? (countOf(state['round']) ?? 0) : 0;
  const next = { tool: 'multi_round', round: round + 1, nonce: randomUUID() };
  if (round === 0) {
    const inputRequests = { step1: form('Step 1: what is your name?', 'name') };
    return inputRequired({ inputRequests, requestState: await requestState.mint(next) });
  }
  if (round === 1) {
    const name = textOf(accepted(context, 'step1')?.['name']);
    const inputRequests = { step2: form('Step 2: what is your favourite colour?', 'color') };
    const carried = await requestState.mint({ ...next, name });
    return inputRequired({ inputRequests, requestState: carried });
  }
  const color = textOf(accepted(context, 'step2')?.['color']);
  return text(`${textOf(state?.['name'])} likes ${color}.`);
}

function askDeclared(context: ServerContext): ToolResult {
  if (context.mcpReq.inputResponses !== undefined) return text('All that was asked has come.');
  const envelope: JsonObject = { ...context.mcpReq.envelope };
  const declared = objectOf(envelope[CLIENT_CAPABILITIES_META_KEY]);
  const inputRequests: InputRequests = {};
  for (const [key, capability] of NEEDS) {
    if (declared?.[capability] !== undefined) inputRequests[key] = ALL[key];
  }
  if (Object.keys(inputRequests).length === 0) return text('The client can be asked nothing.');
  return inputRequired({ inputRequests });
}
