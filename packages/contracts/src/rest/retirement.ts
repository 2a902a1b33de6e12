import { z } from 'zod';

import { ON_SUNSET } from '../aliases';
import { givenInstant, id, instant } from './fields';

/** The announced end of a model or of an alias. */
export const retirement = z
  .object({
    deprecatedAt: instant.nullable(),
    sunsetAt: instant.nullable(),
    replacementModelId: id.nullable(),
    onSunset: z.enum(ON_SUNSET),
    url: z.string().nullable(),
  })
  .meta({ id: 'Retirement' });
export type Retirement = z.output<typeof retirement>;

/** Its fields with their limits; what they need of one another is in `retirementGiven`. */
export const retirementFields = {
  deprecatedAt: givenInstant.nullable().default(null).meta({
    description: 'Answers carry it in the header `deprecation`; it may lie in the future.',
  }),
  sunsetAt: givenInstant.nullable().default(null).meta({
    description:
      'Answers carry it in the header `sunset`. From then on requests are refused, or answered by the replacement, and lists leave the name out.',
  }),
  replacementModelId: id.nullable().default(null).meta({
    description: 'The model to use instead: named in the header `link`, and in the refusal.',
  }),
  onSunset: z.enum(ON_SUNSET).default('REFUSE').meta({
    description:
      'REFUSE: requests are refused from sunsetAt on. REPLACE: the replacement answers them, for keys that may use it.',
  }),
  url: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .regex(/^[\x21-\x3b\x3d\x3f-\x7e]+$/, 'no spaces, no < or >, and only ASCII characters')
    .nullable()
    .default(null)
    .meta({ description: 'A page for people, in the header `link`.' }),
};

interface Given {
  readonly deprecatedAt: string | null;
  readonly sunsetAt: string | null;
  readonly onSunset: string;
}

/** What the fields of a retirement need of one another: the field at fault, and why. */
export function retirementFaults(
  { deprecatedAt, onSunset, sunsetAt }: Given,
  replacement: { readonly field: string; readonly given: boolean },
): { readonly path: string; readonly message: string }[] {
  const faults: { path: string; message: string }[] = [];
  const add = (path: string, message: string): void => void faults.push({ path, message });
  if (deprecatedAt === null && sunsetAt === null) {
    add('deprecatedAt', 'set deprecatedAt, sunsetAt or both');
  }
  if (deprecatedAt !== null && sunsetAt !== null && Date.parse(sunsetAt) < Date.parse(deprecatedAt))
    add('sunsetAt', 'must not be before deprecatedAt');
  if (onSunset === 'REPLACE' && sunsetAt === null) add('sunsetAt', 'REPLACE needs a sunsetAt');
  if (onSunset === 'REPLACE' && !replacement.given) {
    add(replacement.field, 'REPLACE needs a replacement');
  }
  return faults;
}

export const retirementGiven = z
  .strictObject(retirementFields)
  .superRefine((value, context) => {
    const given = value.replacementModelId !== null;
    for (const { path, message } of retirementFaults(value, {
      field: 'replacementModelId',
      given,
    })) {
      context.addIssue({ code: 'custom', path: [path], message });
    }
  })
  .nullable()
  .meta({ id: 'RetirementGiven', description: 'Null: it has no announced end.' });
