import { OUTCOMES } from '@tollgate/contracts';

import type { Filter } from '../../resource/filters';
import { resultWords } from './group-name';

// The choices of lists of MCP requests.

/** Methods of requests that records have, the most frequent first. Clients may send others. */
const METHODS = [
  'tools/call',
  'tools/list',
  'prompts/get',
  'prompts/list',
  'resources/read',
  'resources/list',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'initialize',
  'server/discover',
  'subscriptions/listen',
  'logging/setLevel',
  'ping',
];

const methodFilter: Filter = {
  name: 'method',
  label: 'Method',
  any: 'Any method',
  values: METHODS,
  wordOf: (method) => method,
};

const errorFilter: Filter = {
  name: 'isError',
  label: 'Error of the tool',
  any: 'With or without tool error',
  values: ['true', 'false'],
  wordOf: (value) => (value === 'true' ? 'The tool reported an error' : 'No error of the tool'),
};

const outcomeFilter: Filter = {
  name: 'outcome',
  label: 'Result',
  any: 'Any result',
  values: OUTCOMES.filter((outcome) => outcome !== 'BUDGET_STOPPED'),
  wordOf: resultWords,
};

/** On the usage page, whose own filters have the result. */
export const usageMcpFilters: readonly Filter[] = [methodFilter, errorFilter];

export const mcpRecordFilters: readonly Filter[] = [methodFilter, outcomeFilter, errorFilter];
