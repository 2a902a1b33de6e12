import type { JsonObject, OpenApiDocument } from './openapi';

/** The API reference as one page that loads nothing else. */

export const DOCS_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'cache-control': 'public, max-age=300',
};

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #8886; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
details { border: 1px solid #8884; border-radius: 6px; margin: .4rem 0; padding: .35rem .7rem; }
summary { cursor: pointer; }
summary b { display: inline-block; width: 4.5rem; font-family: ui-monospace, monospace; }
pre { overflow: auto; max-height: 24rem; background: #8881; padding: .6rem; border-radius: 4px; }
`;

export function docsPage(document: OpenApiDocument): string {
  const sections = document.tags.map(({ name }) => section(document, name)).join('');
  const schemas = Object.entries(document.components.schemas)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, schema]) => schemaBlock(name, schema))
    .join('');
  const title = escape(String(document.info['title']));
  const description = escape(String(document.info['description']));
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>
<h1>${title}</h1><p>${description}</p><p>Machine-readable: <a href="/api/openapi.json">openapi.json</a></p>
${sections}<h2>Schemas</h2>${schemas}</body></html>`;
}

function section(document: OpenApiDocument, tag: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => (operation['tags'] as string[]).includes(tag))
      .map(([method, operation]) => operationBlock(path, method, operation)),
  );
  return `<h2>${escape(tag)}</h2>${operations.join('')}`;
}

function operationBlock(path: string, method: string, operation: JsonObject): string {
  const { operationId: _id, tags: _tags, summary, ...rest } = operation;
  return `<details><summary><b>${method.toUpperCase()}</b> <code>${escape(path)}</code><br>${escape(
    String(summary),
  )}</summary><pre>${json(rest)}</pre></details>`;
}

function schemaBlock(name: string, schema: unknown): string {
  return `<details id="${escape(name)}"><summary><code>${escape(name)}</code></summary><pre>${json(
    schema,
  )}</pre></details>`;
}

function json(value: unknown): string {
  return escape(JSON.stringify(value, null, 2));
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
