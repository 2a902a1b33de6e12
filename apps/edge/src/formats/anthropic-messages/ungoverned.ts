// What a request may not ask of the vendor, because it bypasses the gateway's checks.

import { gatewayError } from '@tollgate/contracts';

import { arrayOf, isObject } from '../json';
import type { JsonObject } from '../normalised';
import { addedTools } from './added-tools';

/**
 * `fallbacks` can run a model that the key has no grant for, at another price; `thread` can continue a
 * conversation of another owner; the others choose who pays for the request, at an account that all
 * clients share.
 */
const UNGOVERNED: Readonly<Record<string, string>> = {
  fallbacks: 'fallbacks are not served: name candidates in a routing policy instead.',
  thread: 'thread is not served: send the whole conversation in messages.',
  billing_policy: 'billing_policy is not served: the account of the gateway pays.',
  user_profile_id: 'user_profile_id is not served: name the end user in metadata.user_id.',
  workspace_id: 'workspace_id is not served: the provider of the model has its workspace.',
};

/** @throws GatewayError `unsupported_parameter` naming the field */
export function refuseUngoverned(raw: JsonObject): void {
  for (const [at, tool] of arrayOf(raw['tools']).entries()) {
    if (isObject(tool)) refuseModelOf(tool, `tools[${at}]`);
  }
  for (const { tool, path } of addedTools(raw['messages'])) refuseModelOf(tool, path);
  for (const [param, message] of Object.entries(UNGOVERNED)) {
    if (raw[param] === undefined || raw[param] === null) continue;
    throw gatewayError('unsupported_parameter', message, { param });
  }
}

/** A tool with a model of its own, as the advisor, runs it without a grant and at another price. */
function refuseModelOf(tool: JsonObject, path: string): void {
  const { model, type } = tool;
  if (type === undefined || type === null || type === 'custom') return;
  if (model === undefined || model === null) return;
  const param = `${path}.model`;
  const text = 'tools that run another model are not served. Send the request without this tool.';
  throw gatewayError('unsupported_parameter', `${param}: ${text}`, { param });
}
