import { awsRegionOf } from '@tollgate/contracts/node';
import { z } from 'zod';

import { listed, query, reading, text, type ListShape } from './list-shape';

/** Lists of models at clouds. */

const publisherModels = z.object({
  publisherModels: z.array(z.object({ name: text })).default([]),
  nextPageToken: z.string().max(4_000).optional(),
});

/**
 * Models of a publisher in Vertex AI's Model Garden.
 *
 * @see https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/publishers.models/list
 */
export const VERTEX: ListShape = {
  paging: (after) => query({ pageSize: '200', pageToken: after }),
  read: reading(publisherModels, ({ publisherModels: rows, nextPageToken }) => ({
    models: rows.map(({ name }) => listed(name.replace(/^publishers\/[^/]+\/models\//, ''), {})),
    next: nextPageToken || null,
  })),
};

const foundationModels = z.object({
  modelSummaries: z.array(
    z.object({
      modelId: text,
      modelName: text.optional(),
      inferenceTypesSupported: z.array(z.string()).default([]),
    }),
  ),
});
const inferenceProfiles = z.object({
  inferenceProfileSummaries: z.array(
    z.object({ inferenceProfileId: text, inferenceProfileName: text.optional() }),
  ),
  nextToken: z.string().max(4_000).nullish(),
});

/** After the foundation models, which have one page, come the inference profiles. */
const PROFILES = 'profiles';

const readModels = reading(foundationModels, ({ modelSummaries }) => ({
  models: modelSummaries
    .filter(
      ({ inferenceTypesSupported: types }) => types.length === 0 || types.includes('ON_DEMAND'),
    )
    .map(({ modelId, modelName = null }) => listed(modelId, { displayName: modelName })),
  next: PROFILES,
}));
const readProfiles = reading(
  inferenceProfiles,
  ({ inferenceProfileSummaries: rows, nextToken }) => ({
    models: rows.map(({ inferenceProfileId: id, inferenceProfileName: name = null }) =>
      listed(id, { displayName: name }),
    ),
    next: nextToken ? `${PROFILES} ${nextToken}` : null,
  }),
);

/**
 * The foundation models of a region that can be called by their own names, and the inference profiles that AWS defines,
 * by which all others are called.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListInferenceProfiles.html
 */
export const BEDROCK: ListShape = {
  paging: (after) => {
    if (after === null) return '';
    const [, nextToken = null] = after.split(' ', 2);
    return query({ maxResults: '1000', type: 'SYSTEM_DEFINED', nextToken });
  },
  read: (body) => readModels(body) ?? readProfiles(body),
};

/** `paging`: empty for the foundation models. */
export function bedrockTarget(base: string, models: string, paging: string | undefined): string {
  const prefix = base.replace(/\/openai\/v1$/, '');
  return paging ? `${prefix}/inference-profiles?${paging}` : `${prefix}${models}`;
}

/** Requests go to `bedrock-runtime`, lists are at `bedrock`. Another host, such as a proxy, has both. */
export function bedrockOrigin(base: URL): string | undefined {
  if (awsRegionOf(base) === undefined) return base.origin;
  const host = /^bedrock-runtime(?=[.-])/;
  return host.test(base.hostname) && !base.hostname.includes('.vpce.')
    ? `${base.protocol}//${base.host.replace(host, 'bedrock')}`
    : undefined;
}
