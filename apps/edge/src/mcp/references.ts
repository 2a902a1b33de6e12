// Requests that are not calls, but refer to a prompt or a resource: completions of arguments, and
// subscriptions of the modern era. The same rules apply, so that nothing is learned in a roundabout way.

import { allAllow, gatewayError } from '@tollgate/contracts';

import { arrayOf, objectOf, textOf } from '../formats/json';
import type { AdmittedExchange } from './exchange';
import { allowsTemplate } from './filter';
import type { McpRequestMessage } from './message/read-message';

interface Reference {
  kind: 'prompts' | 'resources';
  name: string;
  /** Path of the field. */
  param: string;
}

const SUBSCRIPTIONS_MOST = 1_024;

/** @throws GatewayError `mcp_access_denied`, `invalid_request` */
export function checkReferences({ message, server, target }: AdmittedExchange): void {
  if (message?.kind !== 'request') return;
  for (const { kind, name, param } of referencesOf(message)) {
    // A completion refers to a resource by its template.
    const allowed =
      kind === 'prompts' ? allAllow(target.rules, kind, name) : allowsTemplate(target.rules, name);
    if (allowed) continue;
    const what = kind === 'prompts' ? 'prompt' : 'resource';
    const text = `${param}: this API key may not use the ${what} of the MCP server. Ask an administrator to allow it.`;
    throw gatewayError('mcp_access_denied', text, { param, details: { server, [what]: name } });
  }
}

function referencesOf({ method, params }: McpRequestMessage): Reference[] {
  if (method === 'completion/complete') {
    const ref = objectOf(params['ref']) ?? {};
    const [prompt, resource] = [textOf(ref['name']), textOf(ref['uri'])];
    return [
      ...(prompt === undefined ? [] : [reference('prompts', prompt, 'params.ref.name')]),
      ...(resource === undefined ? [] : [reference('resources', resource, 'params.ref.uri')]),
    ];
  }
  if (method !== 'subscriptions/listen') return [];
  const param = 'params.notifications.resourceSubscriptions';
  const uris = arrayOf(objectOf(params['notifications'])?.['resourceSubscriptions']);
  if (uris.length > SUBSCRIPTIONS_MOST) {
    const text = `${param}: has more than ${SUBSCRIPTIONS_MOST} resources`;
    throw gatewayError('invalid_request', text, { param });
  }
  return uris.flatMap((uri, at) =>
    typeof uri === 'string' ? [reference('resources', uri, `${param}.${at}`)] : [],
  );
}

function reference(kind: Reference['kind'], name: string, param: string): Reference {
  return { kind, name, param };
}
