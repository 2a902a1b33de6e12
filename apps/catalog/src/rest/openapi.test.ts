import { rest } from '@tollgate/contracts';

import { docsPage } from './docs-page';
import { openApiDocument } from './openapi';

const document = openApiDocument(rest.ENDPOINTS);

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === '$ref' && typeof item === 'string' ? [item] : references(item),
  );
}

it('has every endpoint, once and under its own operation id', () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      where: `${method.toUpperCase()} ${path}`,
      id: operation['operationId'],
    })),
  );
  expect(operations).toHaveLength(rest.ENDPOINTS.length);
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  for (const { id, method, path } of rest.ENDPOINTS) {
    const where = `${method} ${path.replace(/:([A-Za-z]+)/g, '{$1}')}`;
    expect(operations).toContainEqual({ where, id });
  }
});

it('has a schema behind every reference', () => {
  const found = references(document);
  expect(found.length).toBeGreaterThan(100);
  for (const reference of found) {
    const name = reference.replace('#/components/schemas/', '');
    expect(Object.keys(document.components.schemas)).toContain(name);
  }
});

it('declares every path parameter, and nothing that JSON Schema does not know', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const operation of Object.values(methods)) {
      const declared = (operation['parameters'] as { in: string; name: string }[])
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name);
      expect(declared).toEqual(names);
    }
  }
  expect(JSON.stringify(document)).not.toContain('$defs');
});

it('gives every operation a success, a fault and, where one must sign in, a 401', () => {
  for (const endpoint of rest.ENDPOINTS) {
    const path = endpoint.path.replace(/:([A-Za-z]+)/g, '{$1}');
    const operation = document.paths[path]?.[endpoint.method.toLowerCase()];
    const statuses = Object.keys(operation?.['responses'] ?? {});
    expect(statuses).toContain(String(endpoint.status));
    expect(statuses).toContain('500');
    expect(statuses.includes('401')).toBe(
      endpoint.access !== 'public' || endpoint.method !== 'GET',
    );
  }
});

it('is shown as one page that fetches nothing', () => {
  const page = docsPage(document);
  expect(page).toContain('/api/organisations/{organisationId}/apikeys');
  expect(page).not.toMatch(/<script|src=|https?:\/\/(?!127|www\.w3)[^"]*\.(js|css)/);
});
