// The prompts of every MCP server of the simulator. The names are those the conformance suite demands.

import {
  acceptedContent,
  inputRequired,
  type GetPromptResult,
  type InputRequiredResult,
  type JsonSchemaType,
  type PromptMessage,
  type ServerContext,
} from '@modelcontextprotocol/server';

import { textOf, type JsonObject } from '../json';
import { PIXEL_PNG } from './media';
import { texts } from './schemas';

export interface Prompt {
  name: string;
  description: string;
  args?: JsonSchemaType;
  run(args: JsonObject, context: ServerContext): GetPromptResult | InputRequiredResult;
}

/** What completion suggests for any argument. */
export const SUGGESTIONS = ['paris', 'park', 'party'];

export const PROMPTS: readonly Prompt[] = [
  {
    name: 'test_simple_prompt',
    description: 'Has no arguments.',
    run: () => said({ type: 'text', text: 'A simple prompt.' }),
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'Has two arguments.',
    args: texts({ arg1: 'The first argument.', arg2: 'The second argument.' }),
    run: ({ arg1, arg2 }) =>
      said({ type: 'text', text: `arg1='${textOf(arg1)}', arg2='${textOf(arg2)}'` }),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'Holds a resource.',
    args: texts({ resourceUri: 'The URI of the resource.' }),
    run: ({ resourceUri }) =>
      said(
        {
          type: 'resource',
          resource: { uri: textOf(resourceUri), mimeType: 'text/plain', text: 'Embedded.' },
        },
        { type: 'text', text: 'Read the resource above.' },
      ),
  },
  {
    name: 'test_prompt_with_image',
    description: 'Holds a picture.',
    run: () =>
      said(
        { type: 'image', data: PIXEL_PNG, mimeType: 'image/png' },
        { type: 'text', text: 'Describe the picture above.' },
      ),
  },
  {
    name: 'test_input_required_result_prompt',
    description: 'Asks for a context before it answers.',
    run(_args, context) {
      const given = acceptedContent(context.mcpReq.inputResponses, 'user_context')?.['context'];
      if (typeof given === 'string')
        return said({ type: 'text', text: `In the context: ${given}` });
      const requestedSchema = {
        type: 'object' as const,
        properties: { context: { type: 'string' as const } },
        required: ['context'],
      };
      const request = inputRequired.elicit({ message: 'In what context?', requestedSchema });
      return inputRequired({ inputRequests: { user_context: request } });
    },
  },
];

function said(...contents: PromptMessage['content'][]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: 'user', content })) };
}
