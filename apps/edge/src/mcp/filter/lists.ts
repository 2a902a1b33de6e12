// The lists of an MCP server, and where their entries have their names.

import { isOneOf, type McpNameKind } from '@tollgate/contracts';

export const LIST_METHODS = [
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
] as const;
export type ListMethod = (typeof LIST_METHODS)[number];

export function isListMethod(method: string): method is ListMethod {
  return isOneOf(LIST_METHODS, method);
}

export interface ListShape {
  readonly method: ListMethod;
  /** The field of the result that is the list. */
  readonly field: string;
  /** The field of an entry that rules are about. */
  readonly name: string;
  readonly rules: McpNameKind;
  /** The name is a URI template (RFC 6570). */
  readonly isTemplate?: true;
}

export const LISTS: readonly ListShape[] = [
  { method: 'tools/list', field: 'tools', name: 'name', rules: 'tools' },
  { method: 'prompts/list', field: 'prompts', name: 'name', rules: 'prompts' },
  { method: 'resources/list', field: 'resources', name: 'uri', rules: 'resources' },
  {
    method: 'resources/templates/list',
    field: 'resourceTemplates',
    name: 'uriTemplate',
    rules: 'resources',
    isTemplate: true,
  },
];
