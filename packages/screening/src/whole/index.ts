// Rules that judge more than texts: the models that a request may reach, its parameters, and whether an answer
// is the JSON that it should be.

import type { ScreeningRule } from '@tollgate/contracts';

import { RuleError } from '../rule-error';
import { createSchemaMatcher, SchemaError, type SchemaMatcher } from './json-schema';
import { createModelMatcher, type ModelsRule } from './models';
import { createParameterJudge, type ParameterJudge } from './parameters';

export { createWholeJudge, type WholeJudge } from './judge';
export type { AskedModels } from './models';
export { samePaths, snakeName } from './parameter-names';
export type { AskedParameters } from './parameters';
export type { AnswerText } from './answers';

/** A rule with its place in the list. */
export type PreparedRule =
  | {
      readonly kind: 'MODELS';
      readonly at: number;
      readonly mode: ModelsRule['mode'];
      readonly matches: (name: string) => boolean;
    }
  | { readonly kind: 'PARAMETERS'; readonly at: number; readonly judge: ParameterJudge }
  | { readonly kind: 'JSON_SCHEMA'; readonly at: number; readonly match: SchemaMatcher };

/** By the place of the rule. */
export type CompiledSchemas = ReadonlyMap<number, SchemaMatcher>;

export const NO_SCHEMAS: CompiledSchemas = new Map();

type Rules = readonly { readonly rule: ScreeningRule }[];

/** @throws RuleError, by the promise */
export async function compileSchemas(rules: Rules): Promise<CompiledSchemas> {
  const schemas = new Map<number, SchemaMatcher>();
  for (const [at, { rule }] of rules.entries()) {
    if (rule.kind !== 'JSON_SCHEMA') continue;
    try {
      schemas.set(at, await createSchemaMatcher(rule.schema));
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      throw new RuleError(at, 'schema', `${error.pointer || 'the schema'}: ${error.message}`);
    }
  }
  return schemas;
}

/** Throws if a schema was not compiled, because its rule would pass everything. */
export function prepareRules(rules: Rules, schemas: CompiledSchemas): readonly PreparedRule[] {
  return rules.flatMap(({ rule }, at): PreparedRule[] => {
    switch (rule.kind) {
      case 'MODELS': {
        const { kind, mode } = rule;
        return [{ kind, at, mode, matches: createModelMatcher(rule) }];
      }
      case 'PARAMETERS':
        return [{ kind: rule.kind, at, judge: createParameterJudge(rule.parameters) }];
      case 'JSON_SCHEMA': {
        const match = schemas.get(at);
        if (!match) throw new Error(`the JSON schema of the rule ${rule.id} is not compiled`);
        return [{ kind: rule.kind, at, match }];
      }
      default:
        return [];
    }
  });
}
