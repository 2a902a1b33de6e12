// Settings of one part of the edge each; ./config has all of them.

import { envVar } from '@tollgate/kit';

/** Requests to MCP servers. */
export const mcpShape = {
  RUNNER_URL: envVar.string({
    default: '',
    check: (text) => {
      if (text !== '' && !/^https?:$/.test(new URL(text).protocol)) {
        throw new RangeError('must be an http or https URL');
      }
    },
    description:
      'URL of the runner, which runs MCP servers without HTTP. Unset: requests to them are refused with 503.',
  }),
  RUNNER_HOSTS: envVar.list({
    default: [],
    description:
      'Hosts with ports that replicas of the runner may name as their own, as runner-*.runner:8086, where * stands for characters without a dot. Unset: only that of RUNNER_URL.',
  }),
  MCP_MESSAGES_PER_MINUTE: envVar.int({
    default: 1_200,
    min: 1,
    unit: 'messages',
    description:
      'Notifications, responses and new streams of one API key to MCP servers in a minute, at each edge; beyond it they are refused with 429. Requests are limited by policy.',
  }),
  MCP_STREAMS: envVar.int({
    default: 8_192,
    min: 1,
    unit: 'requests',
    description:
      'Maximum running requests and open streams to MCP servers; beyond it requests are refused with 503.',
  }),
  MCP_STREAMS_PER_KEY: envVar.int({
    default: 256,
    min: 1,
    unit: 'requests',
    description: 'The same for one API key; beyond it requests are refused with 429.',
  }),
};

/** Proxies on the way to upstreams, by the names that other programs read. */
export const proxyShape = {
  HTTPS_PROXY: envVar.string({
    default: '',
    description: 'URL of the proxy for providers with https.',
  }),
  https_proxy: envVar.string({
    default: '',
    description: 'The same as HTTPS_PROXY, and takes precedence.',
  }),
  HTTP_PROXY: envVar.string({
    default: '',
    description: 'URL of the proxy for providers with plain http.',
  }),
  http_proxy: envVar.string({
    default: '',
    description: 'The same as its upper-case name, and takes precedence.',
  }),
  NO_PROXY: envVar.string({
    default: '',
    description: 'Hosts that are called without a proxy, separated by commas.',
  }),
  no_proxy: envVar.string({
    default: '',
    description: 'The same as its upper-case name, and takes precedence.',
  }),
};
