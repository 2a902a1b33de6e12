import { createRestClient, type RestClient } from '../api/rest-client';
import { jsonIn, type SendToCatalog } from './catalog';

/** The typed client for server rendering. The proxy has renewed the session already. */
export function serverClient(send: SendToCatalog, access: string | undefined): RestClient {
  return createRestClient(async ({ method, url, params, data, headers }) => {
    const search = params === undefined ? '' : `?${searchOf(params)}`;
    const answer = await send({
      method,
      path: `${url}${search}`,
      headers: {
        ...headers,
        ...(access === undefined ? {} : { authorization: `Bearer ${access}` }),
        ...(data === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: data === undefined ? undefined : Buffer.from(JSON.stringify(data)),
    });
    return {
      status: answer.status,
      data: isJson(answer.headers.get('content-type')) ? jsonIn(answer) : undefined,
      header: (name) => answer.headers.get(name),
    };
  });
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.startsWith('application/json') === true;
}

function searchOf(params: unknown): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params ?? {})) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.toString();
}
