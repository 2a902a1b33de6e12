import { z } from 'zod';

/** To whom an organisation's invoices are made out. */

const LINES = 8;

/** Without control characters, which neither CSV nor PDF can show. */
const line = (longest: number) =>
  z
    .string()
    .trim()
    .max(longest)
    .regex(/^\P{Cc}*$/u, 'no control characters');

export const billingName = line(200);
export const billingAddress = z
  .string()
  .trim()
  .max(500)
  .regex(/^(?:\P{Cc}|\n)*$/u, 'no control characters but line breaks')
  .refine((text) => text.split('\n').length <= LINES, `at most ${LINES} lines`);
export const taxNumber = line(50);

/** As answers have them. */
export const billingRecipient = {
  billingName: z.string().meta({
    description: 'To whom invoices are made out. Empty: the name of the organisation.',
  }),
  billingAddress: z.string().meta({ description: 'At most 8 lines. Default: empty.' }),
  taxNumber: z.string().meta({ description: 'Such as a VAT number. Default: empty.' }),
};
