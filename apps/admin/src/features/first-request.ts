/** A shell command that tries a key. */
export function firstRequest(edgeUrl: string, key: string, model: string): string {
  const body = { model, messages: [{ role: 'user', content: 'Hello' }] };
  return [
    `curl ${edgeUrl}/v1/llm/chat \\`,
    `  -H 'authorization: Bearer ${key}' \\`,
    `  -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
}
