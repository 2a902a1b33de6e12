import { envVar, parseTokens, readConfig, serviceShape, type ConfigOf } from '@tollgate/kit';
import proxyAddr from 'proxy-addr';

/** The environment of the console's server. Nothing here is sent to browsers by itself. */
export const configShape = {
  HOST: serviceShape.HOST,
  LOG_LEVEL: serviceShape.LOG_LEVEL,
  ADMIN_PORT: envVar.port({ default: 3000, description: 'HTTP port of the console.' }),
  CATALOG_URL: envVar.url({
    protocols: ['http', 'https'],
    default: 'http://127.0.0.1:8081',
    description: "Address at which the console's server reaches the management API.",
  }),
  INTERNAL_TOKEN: envVar.secret({
    default: '',
    check: (token) => {
      if (token !== '') parseTokens(`admin=${token}`);
    },
    description:
      "The console's own service token, listed as admin=… in the catalog's INTERNAL_TOKENS. Without it the catalog counts all failed sign-ins under the console's address.",
  }),
  EDGE_URL: envVar.url({
    protocols: ['http', 'https'],
    default: 'http://127.0.0.1:8080',
    description: "Address at which the console's server reaches the edge, for the playground.",
  }),
  PUBLIC_EDGE_URL: envVar.url({
    protocols: ['http', 'https'],
    optional: true,
    description: "The gateway's address that the console shows to its users. Unset: EDGE_URL.",
  }),
  TRACE_URL: envVar.string({
    optional: true,
    check: (text) => {
      const isWeb = /^https?:\/\/[^\s/]+/.test(text) && URL.canParse(text);
      if (!isWeb || !text.includes('{traceId}')) {
        throw new RangeError('must be an address with http:// or https:// and {traceId} in it');
      }
    },
    description:
      'Address of a trace in your tracing tool, with {traceId} in the place of its id; the page of a request links to it.',
  }),
  CONSOLE_TRUSTED_PROXIES: envVar.list({
    default: [],
    check: (item) => {
      proxyAddr.compile([item]);
    },
    description:
      'Addresses or networks of proxies in front of the console whose X-Forwarded-For header is trusted. Failed sign-ins are counted by the client address it names.',
  }),
};
export type Config = ConfigOf<typeof configShape>;

/** @throws ConfigError that names every invalid variable. */
export function loadConfig(): Config {
  return readConfig('admin', configShape, process.env);
}
