// Tools that ask the client for one thing. They are written once for both eras: on a stateful session
// the SDK turns the result `input_required` into a request of the server's own.

import {
  inputRequired,
  inputResponse,
  type InputRequest,
  type ServerContext,
} from '@modelcontextprotocol/server';

import { textOf } from '../../json';
import { optional } from '../schemas';
import { text, type Tool, type ToolResult } from './tool';

const DEFAULTS_FORM = {
  type: 'object' as const,
  properties: {
    name: { type: 'string' as const, description: 'Name', default: 'John Doe' },
    age: { type: 'integer' as const, description: 'Age', default: 30 },
    score: { type: 'number' as const, description: 'Score', default: 95.5 },
    status: {
      type: 'string' as const,
      description: 'Status',
      enum: ['active', 'inactive', 'pending'],
      default: 'active',
    },
    verified: { type: 'boolean' as const, description: 'Verified', default: true },
  },
  required: [],
};

const titled = (word: string): { const: string; title: string }[] =>
  ['First', 'Second', 'Third'].map((place, at) => ({
    const: `value${String(at + 1)}`,
    title: `${place} ${word}`,
  }));

const ENUMS_FORM = {
  type: 'object' as const,
  properties: {
    untitledSingle: { type: 'string' as const, enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string' as const, oneOf: titled('Option') },
    legacyEnum: {
      type: 'string' as const,
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: {
      type: 'array' as const,
      minItems: 1,
      maxItems: 3,
      items: { type: 'string' as const, enum: ['option1', 'option2', 'option3'] },
    },
    titledMulti: {
      type: 'array' as const,
      minItems: 1,
      maxItems: 3,
      items: { anyOf: titled('Choice') },
    },
  },
  required: [],
};

export const ASKING_TOOLS: readonly Tool[] = [
  {
    name: 'test_sampling',
    description: 'Asks the client for a completion of the prompt.',
    input: optional({ prompt: { type: 'string' } }),
    run: ({ prompt }, context) => askOnce(context, sample(textOf(prompt) || 'Say something.')),
  },
  {
    name: 'test_elicitation',
    description: 'Asks the user with this message.',
    input: optional({ message: { type: 'string' } }),
    run: ({ message }, context) => {
      const requestedSchema = {
        type: 'object' as const,
        properties: { response: { type: 'string' as const } },
        required: ['response'],
      };
      const asked = textOf(message) || 'What do you say?';
      return askOnce(context, inputRequired.elicit({ message: asked, requestedSchema }));
    },
  },
  {
    name: 'test_elicitation_sep1034_defaults',
    description: 'Asks the user with a form that has defaults.',
    run: (_args, context) =>
      askOnce(
        context,
        inputRequired.elicit({ message: 'Check the form.', requestedSchema: DEFAULTS_FORM }),
      ),
  },
  {
    name: 'test_elicitation_sep1330_enums',
    description: 'Asks the user with a form of choices.',
    run: (_args, context) =>
      askOnce(context, inputRequired.elicit({ message: 'Choose.', requestedSchema: ENUMS_FORM })),
  },
  {
    name: 'test_missing_capability',
    description: 'Asks for a completion, whatever the client is capable of.',
    run: (_args, context) => askOnce(context, sample('Say pong.')),
  },
  {
    name: 'sim_roots',
    description: "Asks for the client's roots.",
    run: (_args, context) => askOnce(context, inputRequired.listRoots()),
  },
];

function sample(prompt: string): InputRequest {
  const content = { type: 'text' as const, text: prompt };
  return inputRequired.createMessage({ messages: [{ role: 'user', content }], maxTokens: 100 });
}

/** Asks under the key `answer`, and answers with what came back. */
function askOnce(context: ServerContext, request: InputRequest): ToolResult {
  const answer = inputResponse(context.mcpReq.inputResponses, 'answer');
  switch (answer.kind) {
    case 'missing':
      return inputRequired({ inputRequests: { answer: request } });
    case 'elicit':
      return text(`action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
    case 'sampling':
      return text(`The model said: ${JSON.stringify(answer.result.content)}`);
    case 'roots':
      return text(`Roots: ${answer.roots.map(({ uri }) => uri).join(', ')}`);
  }
}
