// The embeddings request on the wire, in either spelling.

import { z } from 'zod';

import { filledList } from '../schema';
import { message, wholeNumber } from './names';
import { content } from './wire';

/** The vendor's limit. */
export const MOST_EMBEDDED = 100;

const embedFields = {
  model: z.string('must be text').nullish(),
  provider: z.string('must be text').nullish(),
  content: content.refine(({ parts }) => (parts?.length ?? 0) > 0, {
    path: ['parts'],
    message: 'must hold at least one part',
  }),
  outputDimensionality: wholeNumber.pipe(z.int().min(1, 'must be at least 1')).nullish(),
};
export const EMBED_FIELDS: ReadonlySet<string> = new Set(Object.keys(embedFields));
export const embedRequest = message(embedFields);
export type WireEmbedRequest = z.output<typeof embedRequest>;

const batchFields = {
  provider: z.string('must be text').nullish(),
  requests: filledList(embedRequest, 'must hold at least one request', MOST_EMBEDDED),
};
export const BATCH_FIELDS: ReadonlySet<string> = new Set(Object.keys(batchFields));
export const batchEmbedRequest = message(batchFields);
