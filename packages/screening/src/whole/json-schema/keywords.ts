// Keywords whose meaning is the draft's, but not their cost: patterns run on RE2, and values are compared
// without writing them out. What they cost is taken from the budget of the evaluation.

import type { Browser } from '@hyperjump/browser';
import type {
  Keyword,
  SchemaDocument,
  ValidationContext,
} from '@hyperjump/json-schema/experimental';
import type { JsonNode } from '@hyperjump/json-schema/instance/experimental';
import { canonicalJson } from '@tollgate/contracts';
import { RE2JS } from 're2js';

import { charge } from './budget';
import { isEqual } from './is-equal';
import type { SchemaLibrary } from './library';

const OWN = 'https://tollgate.invalid/keyword/';

/** The ids of the keywords that replace those of the library. */
export const OWN_KEYWORDS = {
  additionalProperties: `${OWN}additionalProperties`,
  const: `${OWN}const`,
  enum: `${OWN}enum`,
  pattern: `${OWN}pattern`,
  patternProperties: `${OWN}patternProperties`,
  uniqueItems: `${OWN}uniqueItems`,
} as const;

export function addOwnKeywords(library: SchemaLibrary): void {
  const { addKeyword } = library;
  addKeyword(pattern(library));
  addKeyword(patternProperties(library));
  addKeyword(additionalProperties(library));
  addKeyword(constant(library));
  addKeyword(oneOfValues(library));
  addKeyword(uniqueItems(library));
}

function pattern({ Browser: browser, Instance }: SchemaLibrary): Keyword<RE2JS> {
  return {
    id: OWN_KEYWORDS.pattern,
    compile: async (schema) => RE2JS.compile(browser.value<string>(schema)),
    interpret: (compiled, node) =>
      Instance.typeOf(node) !== 'string' || finds(compiled, Instance.value<string>(node)),
  };
}

/** Records which properties were looked at, for `unevaluatedProperties`. */
type Context = ValidationContext & { readonly evaluatedProperties?: Set<string> };

/** Whether all of an object's properties match that `uriOf` has schemas for. */
function judgeProperties(
  { Instance, Validation }: SchemaLibrary,
  node: JsonNode,
  context: Context,
  urisOf: (name: string) => readonly string[],
): boolean {
  if (Instance.typeOf(node) !== 'object') return true;
  let valid = true;
  for (const [nameNode, value] of Instance.entries(node)) {
    const name = Instance.value<string>(nameNode);
    for (const uri of urisOf(name)) {
      if (!Validation.interpret(uri, value, context)) valid = false;
      context.evaluatedProperties?.add(name);
    }
  }
  return valid;
}

function patternProperties(
  library: SchemaLibrary,
): Keyword<readonly (readonly [RE2JS, string])[], Context> {
  const { Browser: browser, Validation } = library;
  return {
    id: OWN_KEYWORDS.patternProperties,
    simpleApplicator: true,
    compile: async (schema, ast) => {
      const patterns: (readonly [RE2JS, string])[] = [];
      for await (const [text, inner] of browser.entries(schema)) {
        const uri = await Validation.compile(inner as Browser<SchemaDocument>, ast, schema);
        patterns.push([RE2JS.compile(text), uri]);
      }
      return patterns;
    },
    interpret: (patterns, node, context) =>
      judgeProperties(library, node, context, (name) =>
        patterns.flatMap(([compiled, uri]) => (finds(compiled, name) ? [uri] : [])),
      ),
  };
}

interface Additional {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly RE2JS[];
  readonly uris: readonly string[];
}

function additionalProperties(library: SchemaLibrary): Keyword<Additional, Context> {
  const { Browser: browser, Validation } = library;
  return {
    id: OWN_KEYWORDS.additionalProperties,
    simpleApplicator: true,
    compile: async (schema, ast, parent) => {
      const { patternProperties: byPattern = {}, properties = {} } = browser.value<{
        patternProperties?: Record<string, unknown>;
        properties?: Record<string, unknown>;
      }>(parent);
      return {
        names: new Set(Object.keys(properties)),
        patterns: Object.keys(byPattern).map((one) => RE2JS.compile(one)),
        uris: [await Validation.compile(schema, ast, parent)],
      };
    },
    interpret: ({ names, patterns, uris }, node, context) =>
      judgeProperties(library, node, context, (name) => {
        const isKnown = names.has(name) || patterns.some((compiled) => finds(compiled, name));
        return isKnown ? NO_URIS : uris;
      }),
  };
}

const NO_URIS: readonly string[] = [];

function constant({ Browser: browser, Instance }: SchemaLibrary): Keyword<unknown> {
  return {
    id: OWN_KEYWORDS.const,
    compile: async (schema) => JSON.parse(browser.value<string>(schema)) as unknown,
    interpret: (value, node) => isEqual(value, Instance.value(node)),
  };
}

function oneOfValues({ Browser: browser, Instance }: SchemaLibrary): Keyword<readonly unknown[]> {
  return {
    id: OWN_KEYWORDS.enum,
    compile: async (schema) => JSON.parse(browser.value<string>(schema)) as readonly unknown[],
    interpret: (values, node) => {
      const given = Instance.value<unknown>(node);
      charge(values.length);
      return values.some((value) => isEqual(value, given));
    },
  };
}

function uniqueItems({ Browser: browser, Instance }: SchemaLibrary): Keyword<boolean> {
  return {
    id: OWN_KEYWORDS.uniqueItems,
    compile: async (schema) => browser.value<boolean>(schema),
    interpret: (asked, node) => {
      if (!asked || Instance.typeOf(node) !== 'array') return true;
      const items = Instance.value<readonly unknown[]>(node);
      const texts = items.map((item) => {
        const text = canonicalJson(item);
        charge(1 + text.length / 16);
        return text;
      });
      return new Set(texts).size === items.length;
    },
  };
}

function finds(compiled: RE2JS, text: string): boolean {
  charge(1 + text.length / 16);
  return compiled.matcher(text).find();
}
