// Lists of models at clouds, for callers with an identity or a key that the cloud accepts. Written from the vendors'
// references; a list has pages of two, so that clients must follow them.

import type { SignedRequest } from './aws-signature';
import type { Clouds } from './index';
import { json } from './issuer';
import type { CloudName } from './settings';

interface Listing {
  readonly cloud: CloudName;
  readonly answer: (match: RegExpExecArray, query: URLSearchParams) => object;
}

const PAGE = 2;

const PUBLISHED: Readonly<Record<string, readonly string[]>> = {
  google: ['gemini-2.5-flash', 'gemini-2.5-pro', 'imagen-4.0-generate-001'],
  anthropic: ['claude-sonnet-4-5', 'claude-haiku-4-5', 'claude-opus-4-1'],
};

const foundationModel = (
  modelId: string,
  providerName: string,
  inferenceTypesSupported: readonly string[],
) => ({
  modelArn: `arn:aws:bedrock:us-east-1::foundation-model/${modelId}`,
  modelId,
  modelName: `Name of ${modelId}`,
  providerName,
  inputModalities: ['TEXT'],
  outputModalities: ['TEXT'],
  responseStreamingSupported: true,
  customizationsSupported: [],
  inferenceTypesSupported,
  modelLifecycle: { status: 'ACTIVE' },
});

const FOUNDATION_MODELS = [
  foundationModel('anthropic.claude-3-haiku-20240307-v1:0', 'Anthropic', ['ON_DEMAND']),
  foundationModel('anthropic.claude-sonnet-4-5-20250929-v1:0', 'Anthropic', ['INFERENCE_PROFILE']),
  foundationModel('openai.gpt-oss-120b-1:0', 'OpenAI', ['ON_DEMAND']),
  foundationModel('amazon.nova-pro-v1:0', 'Amazon', ['ON_DEMAND', 'PROVISIONED']),
];

const PROFILES = [
  'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
  'us.amazon.nova-pro-v1:0',
].map((inferenceProfileId) => ({
  inferenceProfileId,
  inferenceProfileName: `Profile ${inferenceProfileId}`,
  inferenceProfileArn: `arn:aws:bedrock:us-east-1:123456789012:inference-profile/${inferenceProfileId}`,
  models: [],
  status: 'ACTIVE',
  type: 'SYSTEM_DEFINED',
}));

/** A page from the place that the token names. */
function paged<Row>(rows: readonly Row[], token: string | null): { rows: Row[]; next?: string } {
  const from = Number(token ?? 0);
  const next = from + PAGE < rows.length ? { next: String(from + PAGE) } : {};
  return { rows: rows.slice(from, from + PAGE), ...next };
}

const LISTS: readonly (readonly [path: RegExp, listing: Listing])[] = [
  [
    /^\/v1beta1\/publishers\/(google|anthropic)\/models$/,
    {
      cloud: 'google',
      answer: ([, publisher = ''], query) => {
        const { next, rows } = paged(PUBLISHED[publisher] ?? [], query.get('pageToken'));
        const publisherModels = rows.map((id) => ({
          name: `publishers/${publisher}/models/${id}`,
          versionId: 'default',
          launchStage: 'GA',
        }));
        return { publisherModels, ...(next && { nextPageToken: next }) };
      },
    },
  ],
  [
    /^(?:\/bedrock)?\/foundation-models$/,
    { cloud: 'aws', answer: () => ({ modelSummaries: FOUNDATION_MODELS }) },
  ],
  [
    /^(?:\/bedrock)?\/inference-profiles$/,
    {
      cloud: 'aws',
      answer: (_match, query) => {
        const { next, rows } = paged(PROFILES, query.get('nextToken'));
        return { inferenceProfileSummaries: rows, ...(next && { nextToken: next }) };
      },
    },
  ],
  [
    /^\/openai\/deployments$/,
    {
      cloud: 'azure',
      answer: () => ({
        object: 'list',
        data: [
          { id: 'my-gpt', model: 'gpt-4.1', owner: 'organization-owner', status: 'succeeded' },
          { id: 'vectors', model: 'text-embedding-3-large', status: 'succeeded' },
        ],
      }),
    },
  ],
  [
    /^\/openai\/models$/,
    {
      cloud: 'azure',
      answer: () => ({ object: 'list', data: [{ id: 'gpt-4.1', object: 'model' }] }),
    },
  ],
];

/** What each cloud says to a caller whom it does not know, and to one without the permission. */
const REFUSALS: Readonly<
  Record<CloudName, { unknown: [number, object]; denied: [number, object] }>
> = {
  google: {
    unknown: [
      401,
      { error: { code: 401, message: 'Invalid credentials.', status: 'UNAUTHENTICATED' } },
    ],
    denied: [
      403,
      { error: { code: 403, message: 'Permission denied.', status: 'PERMISSION_DENIED' } },
    ],
  },
  aws: {
    unknown: [403, { message: 'The security token included in the request is invalid.' }],
    denied: [
      403,
      {
        message:
          'User: arn:aws:iam::123456789012:user/sim is not authorized to perform: bedrock:ListFoundationModels',
      },
    ],
  },
  azure: {
    unknown: [
      401,
      { error: { code: '401', message: 'Access denied due to invalid credentials.' } },
    ],
    denied: [
      401,
      {
        error: {
          code: 'PermissionDenied',
          message:
            'The principal lacks the required data action Microsoft.CognitiveServices/accounts/OpenAI/models/read.',
        },
      },
    ],
  },
};

/** Undefined: not the path of a list, or one without the version that Azure demands. */
export function cloudList(
  clouds: Pick<Clouds, 'accept' | 'mayList'>,
  request: SignedRequest,
): { status: number; body: string } | undefined {
  const { headers, method, url } = request;
  if (method !== 'GET') return undefined;
  const { pathname, searchParams } = new URL(url, 'http://simulator');
  for (const [path, { answer, cloud }] of LISTS) {
    const match = path.exec(pathname);
    if (match === null) continue;
    if (cloud === 'azure' && !searchParams.has('api-version')) return undefined;
    // Keys of Azure are not checked, as for its other routes.
    const known = cloud === 'azure' && headers['api-key'] !== undefined;
    if (!known && clouds.accept(cloud, request) === undefined) {
      return json(...REFUSALS[cloud].unknown);
    }
    return clouds.mayList()
      ? json(200, answer(match, searchParams))
      : json(...REFUSALS[cloud].denied);
  }
  return undefined;
}
