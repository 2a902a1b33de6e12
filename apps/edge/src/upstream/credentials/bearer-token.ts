// Tokens that a request carries in its Authorization header: those of Google and of Microsoft Entra.

import { z } from 'zod';

import { jsonOf } from '../../formats/json';
import { noCredential } from './ask-issuer';
import type { Issued } from './renewed';

const seconds = z.coerce
  .number()
  .positive()
  .max(86_400 * 7);
const answer = z.object({
  access_token: z
    .string()
    .min(1)
    .max(16_384)
    .regex(/^[\x21-\x7e]+$/),
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .optional(),
  /** Metadata services write it as a text. */
  expires_in: seconds.default(300),
});

/** @throws UpstreamFailure */
export function readTokenAnswer(issuer: string, text: string): Issued<string> {
  const read = answer.safeParse(jsonOf(text));
  if (!read.success) throw noCredential(`${issuer} answered with no usable bearer token`);
  return { credential: read.data.access_token, lifetimeMs: read.data.expires_in * 1_000 };
}
