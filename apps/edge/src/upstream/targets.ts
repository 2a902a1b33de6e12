// The path and query of a call, by the shape of a provider's URLs.

import type { UrlShape } from '@tollgate/contracts';

import type { Connection } from './connections';
import type { Endpoint } from './endpoints';

/** `model` is the name at the upstream. */
export type Target = (
  connection: Pick<Connection, 'basePath' | 'apiVersion'>,
  endpoint: Endpoint,
  model: string,
  stream: boolean,
) => string;

export function targetOf(url: UrlShape): Target {
  switch (url.shape) {
    case 'versioned_base':
      return below(url.usualVersion);
    case 'deployment':
      return deployment;
    case 'publisher':
      return url.publisher === 'google' ? ofGoogle : ofAnthropic;
    case 'model_id':
      return ofModelId;
  }
}

// A base URL is written as its SDKs want it: with the version in it. A bare host means the usual one.
function below(version: string): Target {
  return ({ basePath }, endpoint, model, stream) => {
    const path = (stream && endpoint.streamPath) || endpoint.path;
    const base = endpoint.atRoot ? basePath.replace(/\/v\d+$/, '') : basePath || version;
    return base + path.replace('{model}', () => modelInPath(model));
  };
}

/** A model's name may hold slashes that are part of the path, and its kind (`models/`) already. */
function modelInPath(model: string): string {
  return model
    .replace(/^models\//, '')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
}

/** `preview`, `v1`: of the interface without dates. */
const DATELESS = /^[a-z]\w*$/;

// The cloud-hosted variant names the model in the path and its interface's date in the query. Responses
// and what is kept of them are of its newer interface, which has neither.
const deployment: Target = ({ basePath, apiVersion }, endpoint, model) => {
  const { format, path } = endpoint;
  const base = basePath.replace(/\/openai(\/v1)?$/, '');
  if (format === 'openai-responses') {
    const version = DATELESS.test(apiVersion) ? `?api-version=${apiVersion}` : '';
    return `${base}/openai/v1${path}${version}`;
  }
  const query = apiVersion === '' ? '' : `?api-version=${encodeURIComponent(apiVersion)}`;
  return `${base}/openai/deployments/${encodeURIComponent(model)}${path}${query}`;
};

// Google's cloud names the publisher of a model in the path, below project and location.
const ofGoogle: Target = ({ basePath }, endpoint, model, stream) => {
  const path = (stream && endpoint.streamPath) || endpoint.path;
  return `${basePath}/publishers/google${path.replace('{model}', () => modelInPath(model))}`;
};

/** Its own name for what counts tokens of any model; the body names the model. */
const COUNTS = 'count-tokens:rawPredict';

const ofAnthropic: Target = ({ basePath }, { operation }, model, stream) => {
  const method = stream ? 'streamRawPredict' : 'rawPredict';
  // A version of a model follows an @, which the vendor's SDK leaves as it is.
  const called = `${modelInPath(model).replaceAll('%40', '@')}:${method}`;
  return `${basePath}/publishers/anthropic/models/${operation === 'count_tokens' ? COUNTS : called}`;
};

// A model of Amazon's cloud may be named by its ARN, whose slashes are no part of the path.
const ofModelId: Target = ({ basePath }, _, model, stream) =>
  `${basePath}/model/${encodeURIComponent(model)}/${stream ? 'invoke-with-response-stream' : 'invoke'}`;
