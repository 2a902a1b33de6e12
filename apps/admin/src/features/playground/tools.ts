import { z } from 'zod';

// The tools of a request, typed as the list of OpenAI's chat format.

const MAX_TOOLS = 64;

/** The parts of a JSON schema that every model requires. */
const parameters = z
  .looseObject({
    type: z.literal('object', 'Must be “object”.'),
    properties: z.record(z.string(), z.looseObject({})).optional(),
    required: z.array(z.string()).optional(),
  })
  .superRefine(({ properties = {}, required = [] }, context) => {
    for (const [index, name] of required.entries()) {
      if (Object.hasOwn(properties, name)) continue;
      const message = `“${name}” is not among the properties.`;
      context.addIssue({ code: 'custom', path: ['required', index], message });
    }
  });

const tool = z.strictObject({
  type: z.literal('function', 'Must be “function”.'),
  function: z.strictObject({
    name: z.string().regex(/^[\w-]{1,64}$/, 'Letters, digits, _ and -, 64 at most.'),
    description: z.string().optional(),
    parameters: parameters.optional(),
    strict: z.boolean().optional(),
  }),
});

const tools = z
  .array(tool, 'Enter a list of tools: […].')
  .max(MAX_TOOLS)
  .superRefine((list, context) => {
    const names = list.map((item) => item.function.name);
    const again = names.findIndex((name, index) => names.indexOf(name) !== index);
    if (again === -1) return;
    const message = `“${names[again]}” is used twice.`;
    context.addIssue({ code: 'custom', path: [again, 'function', 'name'], message });
  });

export type Tool = z.output<typeof tool>;

export const EXAMPLE_TOOLS = JSON.stringify(
  [
    {
      type: 'function',
      function: {
        name: 'weather',
        description: 'The weather of a city',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' } },
          required: ['city'],
        },
      },
    },
  ],
  null,
  2,
);

/** Parses the tools. Empty text means none. A problem names its position. */
export function toolsIn(
  text: string,
): { readonly tools: readonly Tool[] } | { readonly problem: string } {
  if (text.trim() === '') return { tools: [] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `Not JSON: ${error instanceof Error ? error.message : 'incomplete'}` };
  }
  const parsed = tools.safeParse(value);
  if (parsed.success) return { tools: parsed.data };
  const [issue] = parsed.error.issues;
  const where = z.core.toDotPath(issue?.path ?? []);
  const words = issue?.message ?? 'This is not a list of tools.';
  return { problem: where === '' ? words : `${where}: ${words}` };
}
